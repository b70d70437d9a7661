package layers

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/plangate/plangate"
)

// trustVersion is the version of the form of the trust file.
const trustVersion = 1

// trustForm is the trust file: digests by path.
type trustForm struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"`
}

// readTrust returns the digests by path; a file that is absent has none. Any
// other trouble is [ErrTrustDamaged], also a file that others may write.
func readTrust(path string) (map[string]string, error) {
	src, info, err := readRegular(path, plangate.MaxJSONBytes+1, 0)
	if isAbsent(err) {
		return map[string]string{}, nil
	}
	if err == nil {
		err = privateToWrite(info)
	}
	var files map[string]string
	if err == nil {
		files, err = parseTrust(src)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTrustDamaged, path, err)
	}
	return files, nil
}

// parseTrust reads a trust file strictly: what is not understood in whole is
// not believed in part.
func parseTrust(src []byte) (map[string]string, error) {
	if err := plangate.CheckJSON(src); err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(src, &members); err != nil {
		return nil, err
	}
	for key := range members {
		if key != "version" && key != "files" {
			return nil, fmt.Errorf("unknown key %q", key)
		}
	}
	var form trustForm
	if err := json.Unmarshal(src, &form); err != nil {
		return nil, err
	}
	if form.Version != trustVersion {
		return nil, fmt.Errorf("version is %d; this program knows %d", form.Version, trustVersion)
	}
	if form.Files == nil {
		return nil, errors.New(`key "files" is missing`)
	}
	for path, digest := range form.Files {
		if err := checkTrusted(Trusted{Path: path, Digest: digest}); err != nil {
			return nil, err
		}
	}
	return form.Files, nil
}

func writeTrust(path string, files map[string]string) error {
	src, err := json.MarshalIndent(trustForm{Version: trustVersion, Files: files}, "", "  ")
	if err != nil {
		return err
	}
	if len(src) >= plangate.MaxJSONBytes {
		return fmt.Errorf("layers: trust file %s would be too large; remove entries that are not needed", path)
	}
	return writePrivate(path, append(src, '\n'))
}
