/**
 * Stock clients for image workflows that run in pages. `comfy-ui-client` needs Node's files and sockets, and is left
 * out.
 */
export { CallWrapper, ComfyApi, PromptBuilder } from '@saintno/comfyui-sdk';
export { Client } from '@stable-canvas/comfyui-client';
