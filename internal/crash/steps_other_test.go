//go:build !linux

package crash

// stepsOf tells of no steps: this system has no inotify. Write-back is then killed at
// moments only.
func stepsOf(func(), ...string) (stop func(), err error) { return func() {}, nil }
