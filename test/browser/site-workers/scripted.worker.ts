import { serve } from '../../../workers/serve.ts';
import { scriptedServer } from './scripted-server.ts';

serve(async ({ name }) => ({ server: scriptedServer(`server-${name.epoch}`), control: {} }));
