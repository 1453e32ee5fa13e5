broken kv3
