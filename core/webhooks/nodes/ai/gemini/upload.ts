/** Stores a file at Google, for later questions. */
import { itemOf, type ModelOperation } from '../actions/operation.ts';
import { geminiServer } from './gemini-server.ts';
import { uploadSources } from './uploaded-files.ts';

export const uploadFile: ModelOperation = async (context, index) => {
  const server = await geminiServer(context);
  const sources = { addresses: 'fileUrl', fallback: 'application/octet-stream' };
  const files = await uploadSources(context, server, index, sources);
  return files.map((file) => itemOf(file, index));
};
