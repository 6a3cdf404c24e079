"""The Go Text Protocol, version 2: graven as an engine for Go programs and user interfaces."""
