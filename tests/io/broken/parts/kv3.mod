kv3
