// Package persisttest is what every gate.Store has to pass: one suite for all
// databases. A store of your own can be tested with it too.
//
//	func TestStore(t *testing.T) {
//		persisttest.Run(t, func(t *testing.T) gate.Store { return open(t) })
//	}
//
// It runs goroutines against one handle of a store; what several processes do to
// each other is tested beside each store.
package persisttest
