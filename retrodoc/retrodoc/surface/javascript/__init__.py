"""JavaScript and TypeScript as data: modules, names followed to what they stand for, and routers put together."""
