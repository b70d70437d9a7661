package compile

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/facts"
)

// checkConditions refuses values that nothing can be compared with. Untrusted
// layers count too: what their author meant to restrict cannot be told.
func (c *compiler) checkConditions() {
	for _, e := range slices.Concat(c.policies, c.guards) {
		for _, condition := range e.body.Conditions {
			c.checkValues(e, condition)
		}
	}
}

func (c *compiler) checkValues(e *entry, condition dsl.Condition) {
	for _, value := range condition.Values {
		code, err := valueError(condition.Type, value.Value)
		if err == nil {
			continue
		}
		c.report(plangate.Diagnostic{
			Code: code, Summary: "Invalid " + string(condition.Type) + " pattern",
			Detail: sentence(err.Error()), Range: value.Range, Context: &e.body.Range,
		})
	}
}

// valueError says what is wrong with a value, and the code of such a mistake.
func valueError(typ dsl.ConditionType, value string) (code string, err error) {
	switch typ {
	case dsl.Command:
		_, err = command.Compile(value)
		return "bad_command_pattern", err
	case dsl.Path:
		_, err = facts.CompilePath(value)
		return "bad_path_pattern", err
	case dsl.Host:
		_, err = facts.CompileHost(value)
		return "bad_host_pattern", err
	default:
		return "", nil // the parser knows all grants, and checkWhen reads expressions
	}
}

// sentence makes an error's text one.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
