"""The page: a local server where people play, watch the search think, and look at experiments.

One WebSocket a tab carries the game (`messages` says what may be said, `session` answers); `table`
holds the game itself and knows nothing of the network, `thinking` runs searches in threads, and
`glimpse` tells what they believe meanwhile. `laboratory` reads the store. `server` puts it together
and imports none of the rest until the first page has been served.
"""
