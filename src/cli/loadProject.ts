import { kinds } from '../checks/index.ts'
import type { Config } from '../config/config.ts'
import { loadConfig, type Section } from '../config/loadConfig.ts'
import { MonitorError } from '../lib/errors.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { createScrubber, type Secret } from '../lib/secret.ts'
import type { YamlDoc } from '../lib/yamlProblems.ts'
import { readRules } from '../rules/readRules.ts'
import type { LoadedRule } from '../rules/types.ts'
import { checkChannels } from './checkChannels.ts'
import { checkPredicates } from './checkPredicates.ts'
import type { Io } from './io.ts'

export interface Project {
  readonly config: Config
  /** Where everything stood in the file. */
  readonly doc: YamlDoc
  readonly rules: readonly LoadedRule[]
  readonly warnings: string
  readonly secrets: readonly Secret[]
  /** Masks every secret of the configuration in a finished line. */
  scrub(line: string): string
}

/** `needs`: the sections whose variables and files have to be there; all without it. */
export interface ReadOptions {
  readonly needs?: readonly Section[]
}

/** Configuration alone. @throws MonitorError `config.invalid`, with every problem and its place */
export function readConfig(
  io: Pick<Io, 'env' | 'protect'>,
  path: string,
  options: ReadOptions = {},
): Omit<Project, 'rules'> {
  const loaded = loadConfig({ path, env: io.env, ...options })
  if (!loaded.ok) throw new MonitorError('config.invalid', renderProblems(loaded.problems).trimEnd())
  const { config, doc, secrets } = loaded
  io.protect(secrets)
  return { config, doc, secrets, warnings: renderProblems(loaded.warnings), scrub: createScrubber(secrets) }
}

/**
 * Configuration, rules, routes and, where their secrets are there, channels: all checked, for the daemon as for `check`.
 * @throws MonitorError `config.invalid`, with every problem
 */
export async function loadProject(
  io: Pick<Io, 'env' | 'protect'>,
  path: string,
  options: ReadOptions = {},
): Promise<Project> {
  const read = readConfig(io, path, options)
  const hasChannels = options.needs?.includes('channels') ?? true
  const loaded = await readRules(read.config.rulesDir, kinds)
  const problems = [
    ...checkPredicates(read.doc, read.config),
    ...(hasChannels ? await checkChannels(read.doc, read.config) : []),
    ...(loaded.ok ? [] : loaded.problems),
  ]
  if (problems.length > 0 || !loaded.ok)
    throw new MonitorError('config.invalid', renderProblems(problems).trimEnd())
  return { ...read, rules: loaded.rules }
}
