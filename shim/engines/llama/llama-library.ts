/** The only module that imports node-llama-cpp. Engine processes load it; the shim's own process never does. */
export * from 'node-llama-cpp';
