/** The parts that `core/server` loads with the first request to the image API, by `import()` alone. */
export { imageWorkflowsApi } from './api.ts';
export { withPulledModels } from './models/model-files/pulled-models.ts';
export { importCustomNodes } from './nodes/kernel/custom-nodes.ts';
