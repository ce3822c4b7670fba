/** The one place that imports node-llama-cpp: only engine processes load it, never the shim itself. */
export * from 'node-llama-cpp';
