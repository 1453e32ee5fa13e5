// traces
