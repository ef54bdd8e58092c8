//go:build tools

// Package gitops keeps the modules of the GitOps tools in go.mod: scripts/gitops-binaries builds them.
package gitops

import _ "github.com/fluxcd/kustomize-controller"
