//go:build !unix

package facts

const openDirectory = 0
