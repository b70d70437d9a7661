//go:build unix

package layers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultPlaces(t *testing.T) {
	const managed = "/etc/plangate/agent.hcl"
	home := t.TempDir()
	tests := []struct {
		name string
		env  map[string]string
		want Places
	}{
		{"home", map[string]string{"HOME": home}, Places{
			managed, home + "/.config/plangate/agent.hcl",
			home + "/.local/state/plangate/trust.json", home + "/.cache/plangate/tables",
		}},
		{"xdg", map[string]string{
			"HOME": home, "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k",
		}, Places{managed, "/c/plangate/agent.hcl", "/s/plangate/trust.json", "/k/plangate/tables"}},
		{"xdg without home", map[string]string{"XDG_CONFIG_HOME": "/c"}, Places{managed, "/c/plangate/agent.hcl", "", ""}},
		{"relative xdg is ignored", map[string]string{"HOME": home, "XDG_CONFIG_HOME": "c"}, Places{
			managed, home + "/.config/plangate/agent.hcl",
			home + "/.local/state/plangate/trust.json", home + "/.cache/plangate/tables",
		}},
		{"nothing", nil, Places{managed, "", "", ""}},
		{"home that does not exist", map[string]string{"HOME": home + "/gone"}, Places{
			managed, home + "/gone/.config/plangate/agent.hcl", "", "",
		}},
		{"xdg beside a home that does not exist", map[string]string{"HOME": home + "/gone", "XDG_STATE_HOME": "/s"}, Places{
			managed, home + "/gone/.config/plangate/agent.hcl", "/s/plangate/trust.json", "",
		}},
		{"relative home", map[string]string{"HOME": "u"}, Places{managed, "", "", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := DefaultPlaces(func(key string) string { return test.env[key] })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
