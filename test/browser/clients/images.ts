/** Stock clients for image workflows that run in pages. (`comfy-ui-client` does not: it needs Node's files and sockets.) */
export { CallWrapper, ComfyApi, PromptBuilder } from '@saintno/comfyui-sdk';
export { Client } from '@stable-canvas/comfyui-client';
