package dsl_test

import (
	"fmt"

	"github.com/plangate/plangate/dsl"
)

func ExampleParse() {
	src := []byte("policy \"reads\" {\n  match  = { kind = \"data_source\" }\n  action = \"alow\"\n}\n")
	file, diags := dsl.Parse("agent.hcl", src)
	fmt.Println(file.Policies[0].Name.Value, file.Policies[0].Match.Kind[0].Value)
	for _, d := range diags {
		fmt.Println(d.Range, d.Code)
	}
	// Output:
	// reads data_source
	// agent.hcl:3,12-18 unknown_value
}

func ExampleFormat() {
	out, _ := dsl.Format("agent.hcl", []byte("guard \"a\" {\n path=[\"**/.env\"]\n action=\"deny\" # always\n}"))
	fmt.Print(string(out))
	// Output:
	// guard "a" {
	//   path   = ["**/.env"]
	//   action = "deny" # always
	// }
}
