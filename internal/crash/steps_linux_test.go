package crash

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// stepsOf calls step after every change of a file in some directories, or of the
// directories themselves, as the system tells of them. It returns what ends that.
func stepsOf(step func(), dirs ...string) (stop func(), err error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	const changes = syscall.IN_CREATE | syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_CLOSE_WRITE |
		syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO | syscall.IN_DELETE
	for _, dir := range dirs {
		if _, err := syscall.InotifyAddWatch(fd, dir, changes); err != nil {
			return nil, err
		}
	}
	over, drained := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(drained)
		buffer := make([]byte, 16<<10)
		for last := false; ; {
			// It asks without a pause, since waking up takes longer than a step.
			n, err := syscall.Read(fd, buffer)
			switch {
			case errors.Is(err, syscall.EAGAIN) && last, err != nil && !errors.Is(err, syscall.EAGAIN):
				return
			case err == nil:
				each(buffer[:n], step)
			}
			select {
			case <-over:
				last = true
			default:
			}
		}
	}()
	return func() { close(over); <-drained; _ = syscall.Close(fd) }, nil
}

// each calls step for each event. It has 16 bytes, of which the last four say how many
// follow.
func each(events []byte, step func()) {
	for len(events) >= syscall.SizeofInotifyEvent {
		step()
		name := binary.NativeEndian.Uint32(events[syscall.SizeofInotifyEvent-4:])
		events = events[syscall.SizeofInotifyEvent+int(name):]
	}
}
