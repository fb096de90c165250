"""Search, fetch, read and crawl the web, and ask services over HTTP."""
