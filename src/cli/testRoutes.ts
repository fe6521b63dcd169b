import { createMuteTimes } from '../lib/muteTimes.ts'
import { canonicalJson } from '../alerts/fingerprint.ts'
import { isTransferLabel, toKept } from '../alerts/matchers.ts'
import { findUnknown, listVocabulary } from '../alerts/vocabulary.ts'
import { createSilencer } from '../alerts/silences.ts'
import { sayScope } from '../alerts/transferSilence.ts'
import { kinds } from '../checks/index.ts'
import { type Labels, type Route, selectRoutes } from '../alerts/routing.ts'
import { toRouting } from '../monitor/toRouting.ts'
import type { Config } from '../config/config.ts'
import { MonitorError } from '../lib/errors.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import { existsSync } from 'node:fs'
import { ledgerPath } from '../store/state.ts'
import { exitCodes, type Io } from './io.ts'
import type { LoadedRule } from '../rules/types.ts'
import { transferLabels } from '../rules/toFindingScope.ts'
import { loadProject } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { readTime } from './readTime.ts'

export interface TestRoutesCommand {
  readonly config: string
  /** As at this moment; now when left out. */
  readonly at?: string
  readonly json?: boolean
}

/** `spanwatch routes test label=value…`: which channels would get an alert with these labels now, and why. */
export async function testRoutes(
  io: Io,
  words: readonly string[],
  options: TestRoutesCommand,
): Promise<number> {
  const { config, rules } = await loadProject(io, options.config, { needs: [] })
  const given = readLabels(words)
  // A rule's name gives its kind, severity and labels.
  const rule = rules.find(({ name }) => name === given['rule'])
  const labels = { ...(rule && { ...rule.labels, kind: rule.kind, severity: rule.severity }), ...given }
  const now = io.clock.now()
  const at = options.at === undefined ? now : readTime('--at', options.at, { now, sign: 1 })
  const result = { ...judge(config, labels, at), notes: listNotes({ rules, config }, given) }
  io.out(options.json ? `${JSON.stringify({ labels, ...result }, null, 2)}\n` : format(labels, result))
  return exitCodes.fine
}

function readLabels(words: readonly string[]): Labels {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_.-]*)=(.*)$/s.exec(word) ?? []
      if (name === undefined || value === undefined)
        throw new MonitorError('usage', `expected label=value, got "${word}"`)
      return [name, isTransferLabel(name) ? value.toLowerCase() : toKept(name, value)]
    }),
  )
}

/** What no alert has at present: what a route does with it says nothing of those that there are. */
function listNotes(
  { rules, config }: { readonly rules: readonly LoadedRule[]; readonly config: Config },
  given: Labels,
): readonly string[] {
  const channels = config.channels.map(({ name }) => name)
  const symbols = config.bridge.tokens.map(({ symbol }) => symbol)
  const vocabulary = listVocabulary({ rules, channels, symbols }, kinds)
  return Object.entries(given).flatMap(
    ([label, value]) => findUnknown({ label, operator: '=', value }, vocabulary) ?? [],
  )
}

interface Verdict extends ReturnType<typeof judge> {
  readonly notes: readonly string[]
}

function judge(config: Config, labels: Labels, now: number) {
  const { routes } = toRouting(config)
  const selected = selectRoutes(routes, labels)
  const silence = findSilence(config, labels, now)
  const listed = routes.map((route, index) => ({
    route: route.id,
    match: config.routes[index]?.match ?? null,
    isTaken: selected.includes(route),
    why: whyOf(route, { labels, selected }),
    channels: route.channels,
    mute: selected.includes(route) ? findMute(route, labels, now) : null,
  }))
  const audible = listed.filter(({ isTaken, mute }) => isTaken && mute === null)
  const told = silence === null ? new Set(audible.flatMap(({ channels }) => channels)) : new Set<string>()
  return { routes: listed, silence, channels: [...told] }
}

function whyOf(route: Route, of: { labels: Labels; selected: readonly Route[] }): string {
  if (of.selected.includes(route)) return route.continue ? 'matches, and goes on' : 'matches'
  return selectRoutes([route], of.labels).length > 0 ? 'an earlier route took it' : 'does not match'
}

function findMute(route: Route, labels: Labels, now: number): string | null {
  if (labels['severity'] === 'critical' && route.muteCritical !== true) return null
  return createMuteTimes(route).find(now)
}

function findSilence(config: Config, labels: Labels, now: number) {
  if (!existsSync(ledgerPath(config.stateDir))) return null
  const { db } = openLedger(config)
  try {
    const store = createAlertStore(db)
    const [name] = transferLabels.flatMap((label) => labels[label] ?? [])
    const [transferKey = null] = name === undefined ? [] : store.listKeysNamed(name, 1)
    const own = Object.entries(labels).filter(([label]) => !isTransferLabel(label))
    // No alert is meant, so that what one says beyond its labels is not known.
    const source = { store: { ...store, getAlert: () => null }, kinds }
    const { silence, broken } = createSilencer(
      store.listSilencesAt(now),
      source,
    )({ ...nobody, labels: canonicalJson(Object.fromEntries(own)), transferKey })
    return silence ?? broken?.silence ?? null
  } finally {
    db.close()
  }
}

const nobody = { id: -1, kind: '', severity: 'info' } as const

function format(labels: Labels, { routes, silence, channels, notes }: Verdict): string {
  return [
    `labels     ${Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}\n`,
    ...notes.map((note) => `but        ${note}\n`),
    ...routes.map(
      ({ route, match, isTaken, why, channels: names, mute }) =>
        `${isTaken ? '*' : ' '} ${route.padEnd(10)} ${match ?? 'everything'}: ${why}${isTaken ? `; ${names.join(', ')}` : ''}${mute === null ? '' : `, muted (${mute})`}\n`,
    ),
    silence === null
      ? ''
      : `silenced   by #${silence.id} of ${silence.author} until ${new Date(silence.endsAt).toISOString()}: ${silence.comment}${silence.transfer === null ? '' : `; ${sayScope(silence.transfer)}`}\n`,
    `sent to    ${channels.join(', ') || 'nobody'}\n`,
  ].join('')
}
