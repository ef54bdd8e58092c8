//go:build tools

// Package tools names the published programs that scripts/kubernetes runs beside Kubernetes itself. They are a module of
// their own because their dependencies are newer than those of the Kubernetes that test/kubernetes builds.
package tools

import (
	_ "sigs.k8s.io/metrics-server/cmd/metrics-server"
)
