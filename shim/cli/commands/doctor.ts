import { writeFile } from 'node:fs/promises';
import { settingValue } from '../../base/setting-value.ts';
import { makeBundle } from '../../doctor/bundle.ts';
import { type DoctorInput, runChecks } from '../../doctor/checks.ts';
import { findGpus } from '../../engines/llama/gpus.ts';
import { findRunning } from '../../home/running-server.ts';
import type { Arguments } from '../arguments.ts';
import type { CommandIo } from './command.ts';
import { writeJson } from './write-json.ts';

const MARKS = { ok: 'ok  ', note: 'note', wrong: '!!  ' };

/** A problem keeps tabd from working. The problems were printed. */
export class ProblemsFound extends Error {
  override name = 'Unwell';
}

/** `tabd doctor` @throws ProblemsFound */
export async function doctor(
  args: Arguments,
  io: Pick<CommandIo, 'out' | 'env' | 'home'>,
  gpus: DoctorInput['gpus'] = findGpus,
): Promise<void> {
  const running = await findRunning(io.home);
  const findings = await runChecks({
    home: io.home,
    ports: args.ports,
    running,
    gpus,
    ffmpeg: settingValue(io.env.TABD_FFMPEG),
  });
  const bundle = await makeBundle(findings, io.home, io.env);
  if (args.options.json) writeJson(io.out, bundle);
  else {
    for (const { area, verdict, text } of findings) {
      io.out.write(`${MARKS[verdict]}  ${area.padEnd(9)}  ${text}\n`);
    }
  }
  const file = args.options.bundle;
  if (typeof file === 'string') {
    await writeFile(file, `${JSON.stringify(bundle, undefined, 2)}\n`);
    io.out.write(`\nThe report is in ${file}: read it before you send it.\n`);
  }
  const wrong = findings.filter(({ verdict }) => verdict === 'wrong').length;
  if (wrong > 0) throw new ProblemsFound(`${wrong} problem(s) keep tabd from working`);
}
