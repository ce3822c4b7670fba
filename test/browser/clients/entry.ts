/** Stock clients as in-page code uses them. */
export { Ollama } from 'ollama/browser';
export { default as OpenAI } from 'openai';
