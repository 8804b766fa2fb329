package main

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// Go's scheduler keeps a watchman for system calls that may block: for a millisecond after each it wakes up every 20 µs.
// A worker that reads and writes a few answers at a time spent a sixth of its time on him. So it reads only what is
// there already and waits with the network poller, and neither call is announced to the scheduler.

// quietInput is standard input; a pipe is read as said above, a file or a terminal as always.
func quietInput() io.Reader {
	stat, err := os.Stdin.Stat()
	if err != nil || stat.Mode()&os.ModeNamedPipe == 0 || syscall.SetNonblock(0, true) != nil {
		return os.Stdin // the mode would outlive us: a terminal and a file may be shared, a pipe is ours to the end
	}
	file := os.NewFile(0, "standard input")
	conn, err := file.SyscallConn()
	if err != nil {
		return file
	}
	return quietReader{file, conn}
}

type quietReader struct {
	file *os.File
	conn syscall.RawConn
}

func (r quietReader) Read(into []byte) (n int, err error) {
	var failed syscall.Errno
	err = r.conn.Read(func(fd uintptr) bool {
		n, failed = quietCall(syscall.SYS_READ, fd, into)
		return failed != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case failed != 0:
		return r.file.Read(into) // for its words
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// quietOutput is standard output. Where nobody reads, the worker has nothing to do and may be held up.
func quietOutput() io.Writer { return quietWriter{} }

type quietWriter struct{}

func (quietWriter) Write(all []byte) (done int, err error) {
	for done < len(all) {
		n, failed := quietCall(syscall.SYS_WRITE, 1, all[done:])
		if failed != 0 { // such as EAGAIN, when whoever started us made it so
			n, err = os.Stdout.Write(all[done:])
			return done + n, err
		}
		done += n
	}
	return done, nil
}

// quietCall needs unsafe for the address of the bytes alone, as package syscall itself does.
func quietCall(number, fd uintptr, data []byte) (int, syscall.Errno) {
	for {
		n, _, failed := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)))
		if failed != syscall.EINTR {
			return int(n), failed
		}
	}
}

// wakeWatchman makes a call that may block: he sleeps when he has seen none, and would not stop a case that hangs.
func wakeWatchman() { _, _, _ = syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0) }
