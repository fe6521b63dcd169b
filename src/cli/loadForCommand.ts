import type { Config } from '../config/config.ts'
import { loadConfig, type LoadedConfig } from '../config/loadConfig.ts'
import { MonitorError } from '../lib/errors.ts'
import { renderProblems } from '../lib/yamlProblems.ts'
import type { CliIo } from './io.ts'

export const configOption = ['-c, --config <file>', 'configuration file', './spanwatch.yaml'] as const

/** The configuration, with its secrets protected before anything else happens, and its warnings. */
export function loadForCommand(
  io: Pick<CliIo, 'env' | 'protect'>,
  path: string,
): Extract<LoadedConfig, { ok: true }> {
  const loaded = loadConfig({ path, env: io.env })
  if (!loaded.ok) {
    throw new MonitorError(
      'config.invalid',
      `the configuration cannot be used:\n${renderProblems(loaded.problems)}`,
    )
  }
  io.protect(loaded.secrets)
  return loaded
}

export type { Config }
