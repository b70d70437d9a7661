package main

import (
	"bytes"
	"net/url"
	"path/filepath"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

// The types below are the part of SARIF 2.1.0 that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool                   `json:"tool"`
		ColumnKind string                      `json:"columnKind"`
		Results    plangate.List[*sarifResult] `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string                   `json:"name"`
		Version        string                   `json:"version"`
		InformationURI string                   `json:"informationUri"`
		Rules          plangate.List[sarifRule] `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Message  *sarifMessage `json:"message,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// sarifOf turns a report into a SARIF log. The description of a rule is the
// summary of the first finding with its code.
func sarifOf(r *report) *sarifLog {
	driver := sarifDriver{
		Name: "policyctl", Version: readVersion().Version, InformationURI: "https://github.com/plangate/plangate",
	}
	index := map[string]int{}
	var results []*sarifResult
	for _, diag := range r.Diagnostics {
		i, known := index[diag.Code]
		if !known {
			i = len(driver.Rules)
			index[diag.Code] = i
			driver.Rules = append(driver.Rules, sarifRule{diag.Code, sarifMessage{diag.Summary}})
		}
		results = append(results, r.sarifResult(diag, i))
	}
	return &sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results,
		}},
	}
}

func (r *report) sarifResult(diag *plangate.Diagnostic, rule int) *sarifResult {
	result := &sarifResult{
		RuleID: diag.Code, RuleIndex: rule, Level: diag.Severity.String(),
		Message: sarifMessage{diag.Summary + ": " + diag.Detail},
	}
	if diag.Range.File != "" {
		result.Locations = []sarifLocation{{Physical: r.sarifPlace(diag.Range)}}
	}
	for i, related := range diag.Related {
		result.Related = append(result.Related, sarifLocation{
			ID: i + 1, Message: &sarifMessage{related.Message}, Physical: r.sarifPlace(related.Range),
		})
	}
	return result
}

func (r *report) sarifPlace(place plangate.Range) sarifPhysical {
	physical := sarifPhysical{Artifact: sarifArtifact{fileURI(place.File)}}
	if place.Start.Line > 0 {
		src := r.sources[place.File]
		physical.Region = &sarifRegion{
			StartLine: place.Start.Line, StartColumn: codePointColumn(src, place.Start),
			EndLine: place.End.Line, EndColumn: codePointColumn(src, place.End),
		}
	}
	return physical
}

// codePointColumn returns the column of a place in code points, because SARIF
// knows no grapheme clusters. Without the text the column stays as it is.
func codePointColumn(src []byte, pos plangate.Pos) int {
	if pos.Byte < 0 || pos.Byte > len(src) || src == nil {
		return pos.Column
	}
	line := src[bytes.LastIndexByte(src[:pos.Byte], '\n')+1 : pos.Byte]
	return utf8.RuneCount(line) + 1
}

// fileURI returns a file name as a URI reference, relative if the name is.
func fileURI(name string) string {
	path := filepath.ToSlash(name)
	if filepath.IsAbs(name) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}
