//go:build tools

// Package tools names the Helm that the tests build and run.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
