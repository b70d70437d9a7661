package dsl

import (
	"time"

	"github.com/plangate/plangate/internal/hclsource"
)

// Limits of a policy file (spec LNG-4, LNG-5, LNG-12, LNG-29, LNG-35, LNG-36, LNG-39).
const (
	MaxBytes       = hclsource.MaxBytes     // bytes of a file
	MaxTokens      = hclsource.MaxTokens    // words, strings and symbols of a file
	MaxDepth       = hclsource.MaxDepth     // nested brackets, braces and templates
	MaxOperators   = hclsource.MaxOperators // operators and index steps of one expression
	MaxNameBytes   = 200                    // bytes of a policy, guard or profile name
	MaxReasonBytes = 2000                   // bytes of a reason
	MaxCount       = 1_000_000              // numbers of circuit_breaker
	MaxFindings    = 10_000                 // diagnostics of one file
	MaxDuration    = 30 * 24 * time.Hour    // durations of decision_hook and approvals
)
