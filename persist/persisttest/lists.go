package persisttest

import (
	"slices"
	"testing"
	"time"

	"github.com/plangate/plangate/gate"
)

func order(t *testing.T, store gate.Store) {
	add(t, store, Item("s", 3, 0), Item("s", 1, 11), Item("s", 1, 2), Item("s", 1, 1))
	a, b := Item("a", 2, 0), Item("b", 2, 0) // created at the same time
	add(t, store, b, a)
	want := []string{"s-1-01", "s-1-02", "s-1-11", "a-2-00", "b-2-00", "s-3-00"}
	if got := ids(t, store, gate.Filter{}); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	update(t, store, func(tx gate.Tx) error {
		items, err := tx.Items(gate.Filter{Limit: 100})
		for i, item := range items {
			if item.ID != want[i] {
				t.Errorf("in Update: %s at %d; want %s", item.ID, i, want[i])
			}
		}
		return err
	})
}

func pages(t *testing.T, store gate.Store) {
	var want []string
	for turn := range 7 {
		items := many("s", turn, 13)
		add(t, store, items...)
		for _, item := range items {
			want = append(want, item.ID)
		}
	}
	for _, limit := range []int{1, 2, 13, 90, 91, 92} {
		for _, states := range [][]gate.State{nil, {gate.Waiting}, {gate.Waiting, gate.Ready}} {
			var got []string
			var after gate.Cursor
			for {
				var page []gate.Item
				view(t, store, func(r gate.Reader) (err error) {
					page, err = r.Items(gate.Filter{States: states, After: after, Limit: limit})
					return err
				})
				if len(page) > limit {
					t.Fatalf("%d items; want at most %d", len(page), limit)
				}
				if len(page) == 0 {
					break
				}
				for _, item := range page {
					got = append(got, item.ID)
				}
				last := page[len(page)-1]
				after = gate.Cursor{Created: last.Created, ID: last.ID}
			}
			if !slices.Equal(got, want) {
				t.Errorf("limit %d, states %v: %d items; want %d, each once and in order", limit, states, len(got), len(want))
			}
		}
	}
}

func filters(t *testing.T, store gate.Store) {
	ready, once := answered(Item("s", 1, 1), gate.ScopeSession, 2), answered(Item("s", 1, 2), gate.ScopeOnce, 2)
	denied := Item("s", 1, 3)
	denied.State = gate.Denied
	other, older := answered(Item("r", 1, 0), gate.ScopeSession, 2), answered(Item("s", 2, 0), gate.ScopeSession, 1)
	late := Item("s", 2, 1)
	late.Expires = start.Add(2 * time.Hour)
	never := Item("s", 2, 2)
	never.Expires = time.Time{}
	stale := answered(Item("s", 2, 3), gate.ScopeAlways, 2) // has an end, does not wait
	add(t, store, Item("s", 1, 0), ready, once, denied, other, older, late, never, stale)
	for name, test := range map[string]struct {
		filter gate.Filter
		want   []string
	}{
		"all":              {gate.Filter{}, []string{"r-1-00", "s-1-00", "s-1-01", "s-1-02", "s-1-03", "s-2-00", "s-2-01", "s-2-02", "s-2-03"}},
		"session":          {gate.Filter{Session: "r"}, []string{"r-1-00"}},
		"no such session":  {gate.Filter{Session: "R"}, []string{}},
		"plan":             {gate.Filter{Plan: "s-000002"}, []string{"s-2-00", "s-2-01", "s-2-02", "s-2-03"}},
		"state":            {gate.Filter{States: []gate.State{gate.Waiting}}, []string{"s-1-00", "s-2-01", "s-2-02"}},
		"states":           {gate.Filter{States: []gate.State{gate.Waiting, gate.Denied}}, []string{"s-1-00", "s-1-03", "s-2-01", "s-2-02"}},
		"session, state":   {gate.Filter{Session: "s", States: []gate.State{gate.Ready}}, []string{"s-1-01", "s-1-02", "s-2-00", "s-2-03"}},
		"plan, state":      {gate.Filter{Plan: "s-000001", States: []gate.State{gate.Waiting}}, []string{"s-1-00"}},
		"expires by":       {gate.Filter{ExpiresBy: start.Add(time.Hour)}, []string{"s-1-00"}},
		"expires later":    {gate.Filter{ExpiresBy: start.Add(3 * time.Hour)}, []string{"s-1-00", "s-2-01"}},
		"verdicts":         {gate.Filter{SessionVerdicts: 2}, []string{"r-1-00", "s-1-01"}},
		"session verdicts": {gate.Filter{Session: "s", SessionVerdicts: 2}, []string{"s-1-01"}},
		"of an old epoch":  {gate.Filter{Session: "s", SessionVerdicts: 1}, []string{"s-2-00"}},
		"limit":            {gate.Filter{Limit: 2}, []string{"r-1-00", "s-1-00"}},
	} {
		if got := ids(t, store, test.filter); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v; want %v", name, got, test.want)
		}
	}
	update(t, store, func(tx gate.Tx) error { return tx.PutItem(answered(Item("s", 1, 0), gate.ScopeSession, 2)) })
	if got, want := ids(t, store, gate.Filter{Session: "s", SessionVerdicts: 2}), []string{"s-1-00", "s-1-01"}; !slices.Equal(got, want) {
		t.Errorf("after an answer: %v; want %v", got, want)
	}
	if got := ids(t, store, gate.Filter{ExpiresBy: start.Add(time.Hour)}); len(got) != 0 {
		t.Errorf("after an answer %v still expires", got)
	}
}

func limits(t *testing.T, store gate.Store) {
	for _, limit := range []int{-1, 0, gate.MaxPage + 1} {
		view(t, store, func(r gate.Reader) error {
			if _, err := r.Items(gate.Filter{Limit: limit}); err == nil {
				t.Errorf("a list of %d items is possible", limit)
			}
			if _, err := r.Records(0, limit); err == nil {
				t.Errorf("a list of %d records is possible", limit)
			}
			return nil
		})
	}
	view(t, store, func(r gate.Reader) error {
		all, err := r.Records(1<<64-1, 1)
		if err != nil || len(all) != 0 {
			t.Errorf("records after the last number: %d, %v", len(all), err)
		}
		return nil
	})
}

func expiry(t *testing.T, store gate.Store) {
	item := Item("s", 1, 0)
	forever := Item("s", 1, 1)
	forever.Expires = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	add(t, store, item, forever)
	for _, early := range []time.Duration{time.Hour, time.Second, time.Microsecond, 1} {
		if got := ids(t, store, gate.Filter{ExpiresBy: item.Expires.Add(-early)}); len(got) != 0 {
			t.Errorf("%v expired %s early", got, early)
		}
	}
	for _, late := range []time.Duration{0, 1, 100 * 365 * 24 * time.Hour} {
		if got := ids(t, store, gate.Filter{ExpiresBy: item.Expires.Add(late)}); len(got) != 1 {
			t.Errorf("after %s %v expired; want the first", late, got)
		}
	}
}
