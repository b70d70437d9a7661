package gate

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/plangate/plangate"
)

// parallelPreviews bounds how many providers are asked at a time.
const parallelPreviews = 8

// preview fills in the previews of a plan's resource items that may run. Absence,
// failure and a passed deadline are all the same: no preview (spec GAT-8).
func (g *Gate) preview(ctx context.Context, items []Item) {
	if g.config.Preview == nil {
		return
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallelPreviews)
	for i := range items {
		item := &items[i]
		if item.Kind != plangate.Resource || item.State == Denied {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			item.Preview = g.previewOf(ctx, item.Call)
		})
	}
	wait.Wait()
}

// previewOf asks for one preview. A previewer that ignores its deadline is left
// behind: its goroutine ends when it does.
func (g *Gate) previewOf(ctx context.Context, call plangate.Call) json.RawMessage {
	ctx, cancel := context.WithTimeout(ctx, g.config.PreviewLimit)
	answer := make(chan json.RawMessage, 1)
	go func() {
		defer cancel()
		var preview json.RawMessage
		err := guarded(func() (err error) {
			preview, err = g.config.Preview.Preview(ctx, call)
			return err
		})
		if err != nil || len(preview) > MaxPreview || plangate.CheckJSON(preview) != nil {
			preview = nil
		}
		answer <- preview
	}()
	select {
	case preview := <-answer:
		return preview
	case <-ctx.Done():
		select {
		case preview := <-answer: // cancel and answer came together
			return preview
		default:
			return nil
		}
	}
}
