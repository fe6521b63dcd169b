import { kinds } from '../checks/index.ts'
import type { ChannelSettings, Config } from '../config/config.ts'
import { loadConfig, type Section } from '../config/loadConfig.ts'
import { MonitorError, errorText } from '../lib/errors.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { createScrubber, type Secret } from '../lib/secret.ts'
import { type YamlDoc, problemAt, type YamlProblem, problemInside } from '../lib/yamlProblems.ts'
import { readRules } from '../rules/readRules.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { Io } from './io.ts'
import { createSystemClock } from '../lib/clock.ts'
import { compileBody } from '../delivery/channels/compileBody.ts'
import { createChannel } from '../delivery/channels/createChannel.ts'
import { warnOfShadowedRoutes } from '../alerts/shadowedRoutes.ts'
import { warnOfUnknownNames, warnOfUnknownWords } from '../alerts/unknownWords.ts'
import { listVocabulary } from '../alerts/vocabulary.ts'
import { compileLabelPredicate, compileRouteMatch } from '../rules/cel/compileConditions.ts'

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
  const channels = read.config.channels.map(({ name }) => name)
  const vocabulary = listVocabulary({ rules: loaded.rules, channels }, kinds)
  const unknown = [
    ...warnOfUnknownWords(read.doc, { config: read.config, vocabulary }),
    ...warnOfShadowedRoutes(read.doc, read.config),
    ...warnOfUnknownNames(loaded.rules, read.config),
    ...(loaded.warnings ?? []),
  ]
  const warnings = [read.warnings, renderProblems(unknown)].filter((text) => text !== '').join('\n')
  return { ...read, rules: loaded.rules, warnings }
}

/** What a channel refuses of its settings when it is made. None is connected to, and none keeps anything open. */
async function checkChannels(doc: YamlDoc, { channels }: Config): Promise<YamlProblem[]> {
  const problems = await Promise.all(
    channels.map(async (settings): Promise<YamlProblem[]> => {
      const ofBody = settings.type === 'webhook' ? checkBody(doc, settings) : []
      if (ofBody.length > 0) return ofBody
      try {
        await createChannel(
          { clock: createSystemClock(), write: () => undefined, color: false },
          settings,
        ).close()
        return []
      } catch (error) {
        return [problemAt(doc, ['channels', settings.name], errorText(error))]
      }
    }),
  )
  return problems.flat()
}

/** The template of a webhook's body, a problem at its place inside the text. */
function checkBody(
  doc: YamlDoc,
  { name, body, contentType }: Extract<ChannelSettings, { type: 'webhook' }>,
): YamlProblem[] {
  const compiled = body === undefined ? null : compileBody(body, contentType)
  if (compiled === null || compiled.ok) return []
  return [problemInside(doc, ['channels', name, 'body'], compiled.problem.offset, compiled.problem.message)]
}

/** The expressions of routes and inhibitions, each problem at its place inside the text. */
export function checkPredicates(doc: YamlDoc, config: Config): YamlProblem[] {
  const routes = config.routes.map(
    ({ match }, index) => [['routes', index, 'match'], match, compileRouteMatch] as const,
  )
  const inhibitions = config.inhibit.flatMap(({ source, target }, index) => [
    [['inhibit', index, 'source'], source, compileLabelPredicate] as const,
    [['inhibit', index, 'target'], target, compileLabelPredicate] as const,
  ])
  return [...routes, ...inhibitions].flatMap(([path, text, compile]) => {
    if (text === null) return []
    const compiled = compile(kinds.names, text)
    if (compiled.ok) return []
    return [problemInside(doc, path, compiled.problem.offset, compiled.problem.message)]
  })
}
