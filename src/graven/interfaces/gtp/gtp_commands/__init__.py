"""The GTP commands, one class for each group of them.

A command is a method marked with `gtp_command`. It takes the arguments of the line as texts and
returns the text of the reply, or an iterator of lines that are sent as they come.
"""
