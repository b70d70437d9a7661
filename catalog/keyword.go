package catalog

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// form is what the value of a schema keyword has to be.
type form uint8

const (
	oneSchema form = iota
	itemsForm
	schemaList
	schemaMap
	patternMap
	dependencyMap
	patternForm
	referenceForm
	idForm
	anchorForm
	textForm
	flagForm
	listForm
	numberForm
	positiveForm
	countForm
	typeForm
	nameList
	nameLists
	flagMap
	anything
)

// keywords is the metaschema of draft 2020-12, with the keywords that only
// draft-07 has. A value that is wrong in one draft is wrong in both, as it is
// for the library; [checker.descend] knows the one exception.
var keywords = [...]struct{ names, wanted string }{
	oneSchema: {
		"not if then else contains additionalItems additionalProperties propertyNames " +
			"unevaluatedItems unevaluatedProperties contentSchema",
		"a schema: an object, true or false",
	},
	itemsForm:     {"items", "a schema; in draft-07 also a list of one or more, for which 2020-12 has prefixItems"},
	schemaList:    {"allOf anyOf oneOf prefixItems", "a list of one schema or more"},
	schemaMap:     {"properties dependentSchemas $defs definitions", "an object of schemas"},
	patternMap:    {"patternProperties", "an object of schemas"},
	dependencyMap: {"dependencies", "an object of schemas and lists of different names"},
	patternForm:   {"pattern", "a regular expression"},
	referenceForm: {"$schema $ref $dynamicRef $recursiveRef", "a URI reference of at most 4096 bytes"},
	idForm:        {"$id", "a URI reference of at most 4096 bytes, without a fragment"},
	anchorForm:    {"$anchor $dynamicAnchor $recursiveAnchor", "a letter or _, then letters, digits, and any of - . _"},
	textForm:      {"title description format contentEncoding contentMediaType $comment", "a string"},
	flagForm:      {"uniqueItems readOnly writeOnly deprecated", "true or false"},
	listForm:      {"enum examples", "a list"},
	numberForm:    {"minimum maximum exclusiveMinimum exclusiveMaximum", "a number"},
	positiveForm:  {"multipleOf", "a number above 0"},
	countForm: {
		"minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
		"a whole number from 0 to 2147483647, without an exponent",
	},
	typeForm:  {"type", "one of " + typeWords + ", or a list of some"},
	nameList:  {"required", "a list of different names"},
	nameLists: {"dependentRequired", "an object of lists of different names"},
	flagMap:   {"$vocabulary", "an object of true and false"},
	anything:  {"const default", "any value"},
}

const typeWords = "array boolean integer null number object string"

// maxReference bounds URIs, in bytes; the library keeps one for each $id.
const maxReference = 4096

// keyword returns the form of the keyword that name is, up to upper and lower
// case, and how that keyword is spelled.
func keyword(name string) (spelling string, f form, ok bool) {
	for f := range keywords {
		for known := range strings.FieldsSeq(keywords[f].names) {
			if strings.EqualFold(known, name) {
				return known, form(f), true
			}
		}
	}
	return "", 0, false
}

// misfit returns the part of n that keeps it from having the form, or nil. It
// does not look into schemas.
func (f form) misfit(n *node) *node {
	switch f {
	case schemaList:
		return unless(n.typ == array && len(n.items) > 0, n)
	case typeForm:
		if n.typ == array && len(n.items) > 0 {
			return differentTexts(n, isTypeWord)
		}
		return unless(isTypeWord(n), n)
	case nameList:
		return differentTexts(n, isText)
	case nameLists:
		return wrongMember(n, nameList)
	case flagMap:
		return wrongMember(n, flagForm)
	default:
		return unless(f.fits(n), n)
	}
}

func unless(fits bool, n *node) *node {
	if fits {
		return nil
	}
	return n
}

// fits is for the forms of which no part can be wrong by itself.
func (f form) fits(n *node) bool {
	switch f {
	case oneSchema:
		return n.typ == object || n.typ == boolean
	case itemsForm:
		return n.typ == object || n.typ == boolean || n.typ == array
	case schemaMap, patternMap, dependencyMap:
		return n.typ == object
	case patternForm, textForm:
		return n.typ == text
	case referenceForm, idForm:
		return parseReference(n) != nil
	case anchorForm:
		return isAnchor(n)
	case flagForm:
		return n.typ == boolean
	case listForm:
		return n.typ == array
	case numberForm:
		return n.typ == number
	case positiveForm:
		value, err := strconv.ParseFloat(n.text, 64)
		return n.typ == number && err == nil && value > 0
	case countForm:
		return isCount(n)
	default:
		return f == anything
	}
}

func isText(n *node) bool { return n.typ == text }

func isTypeWord(n *node) bool {
	return n.typ == text && slices.Contains(strings.Fields(typeWords), n.text)
}

// parseReference returns nil if n is no URI reference.
func parseReference(n *node) *url.URL {
	uri, err := url.Parse(n.text)
	if n.typ != text || err != nil || len(n.text) > maxReference {
		return nil
	}
	return uri
}

func isAnchor(n *node) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return n.typ == text && n.text != "" &&
		strings.Trim(n.text[:1], letters) == "" && strings.Trim(n.text, letters+"0123456789-.") == ""
}

// isCount takes what the library does. It reads a number with a point as a
// float, and any other as an integer.
func isCount(n *node) bool {
	value, err := strconv.ParseFloat(n.text, 64)
	return n.typ == number && err == nil && value == math.Trunc(value) && 0 <= value && value <= math.MaxInt32 &&
		(strings.Contains(n.text, ".") || !strings.ContainsAny(n.text, "eE"))
}

// differentTexts returns what keeps n from being a list of different texts.
func differentTexts(n *node, fits func(*node) bool) *node {
	if n.typ != array {
		return n
	}
	seen := map[string]bool{}
	for _, item := range n.items {
		if !fits(item) || seen[item.text] {
			return item
		}
		seen[item.text] = true
	}
	return nil
}

// wrongMember returns what keeps n from being an object of values of a form.
func wrongMember(n *node, f form) *node {
	if n.typ != object {
		return n
	}
	for _, m := range n.members {
		if bad := f.misfit(m.value); bad != nil {
			return bad
		}
	}
	return nil
}
