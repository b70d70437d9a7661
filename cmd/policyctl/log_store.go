package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/persist"
)

// registerStore lets a log command read the chain of a store in place of a file.
func registerStore(cmd *cobra.Command, store *string) {
	cmd.Flags().StringVar(store, "store", "", "read the records of a store, a `PATH` or postgres:// URL")
	notEmpty(cmd, "store")
}

// openRecords opens the records of a store, or of the file that the arguments name.
func openRecords(w *world, source logSource) (*logInput, error) {
	store := source.store
	switch {
	case store == "":
		return openLog(w, source.args)
	case len(source.args) > 0:
		return nil, failed("give a file or --store, not both")
	}
	if !layers.IsURL(store) {
		if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) { // opening it would make it
			return nil, failed("%s: there is no such store", escape(store))
		}
	}
	ctx := context.Background()
	open := persist.OpenSQLite
	if layers.IsURL(store) {
		open = persist.OpenPostgres
	}
	db, err := open(ctx, store, persist.Options{Clock: w.now, Check: persist.CheckSchema})
	if err != nil {
		return nil, failed("%s", errtext.Plain(err))
	}
	return &logInput{Reader: &storeLines{ctx: ctx, db: db}, name: "the store", closer: db}, nil
}

// storeLines reads the records of a store as the lines of a log, page by page.
type storeLines struct {
	ctx   context.Context //nolint:containedctx // of one command, which reads by it
	db    *persist.DB
	after uint64
	page  bytes.Buffer
	ended bool
}

// Read implements [io.Reader].
func (s *storeLines) Read(into []byte) (int, error) {
	for s.page.Len() == 0 {
		if s.ended {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	return s.page.Read(into)
}

func (s *storeLines) next() error {
	return s.db.View(s.ctx, func(r gate.Reader) error {
		s.page.Reset()
		records, err := r.Records(s.after, gate.MaxPage)
		if err != nil {
			return err
		}
		for i := range records {
			s.page.Write(records[i].Line())
			s.after = records[i].Seq
		}
		s.ended = len(records) < gate.MaxPage
		return nil
	})
}
