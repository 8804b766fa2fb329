package main

import "strings"

// evaluating stands between what a rule raised and the rule, in the server's words.
const evaluating = " evaluating rule: "

// raises ends the origin of an error that a rule raised: it is not what the rule says of the object, and a smaller
// object for which the rule raises shows nothing of what the rule forbids.
const raises = " raises"

// constraints are the keywords of a schema by the words of their errors: the server's errors say no more, and two errors
// of one type at one path are told apart by their origin.
var constraints = []struct{ words, keyword string }{
	{" should match '", "pattern"},
	{" should be at least ", "minLength"},
	{" should be at most ", "maxLength"},
	{" should have at least ", "minItems"},
	{" should have at most ", "maxItems"},
	{" should be greater than ", "minimum"},
	{" should be less than ", "maximum"},
	{" should be a multiple of ", "multipleOf"},
	{" shouldn't contain duplicates", "uniqueItems"},
	{" should be one of ", "enum"},
	{" must validate one and only one schema (oneOf)", "oneOf"},
	{" must validate at least one schema (anyOf)", "anyOf"},
	{" must validate all the schemas (allOf)", "allOf"},
	{" must not validate the schema (not)", "not"},
	{" must be of type ", "type"},
	{evaluating, "x-kubernetes-validations"},
}

// constraintOf names the keyword that an error is of; nothing where its words do not say.
func constraintOf(detail string) string {
	for _, one := range constraints {
		if strings.Contains(detail, one.words) {
			if strings.HasSuffix(detail, " properties") {
				return strings.Replace(one.keyword, "Items", "Properties", 1)
			}
			return one.keyword
		}
	}
	return ""
}
