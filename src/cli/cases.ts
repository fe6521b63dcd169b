import { createAlertStore } from '../alerts/store/alertStore.ts'
import { type CaseCommand, findCaseNamed } from '../alerts/caseOperations.ts'
import { moneyLine } from '../delivery/channels/caseWords.ts'
import { formatDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import type { UnixMs } from '../lib/clock.ts'
import { type CaseQuery, type CaseStory, type CaseView, caseStates } from '../web/caseTypes.ts'
import { createAlertViews } from '../web/views/toAlertView.ts'
import {
  type CaseListSource,
  type CaseStorySource,
  listCaseViews,
  toCaseSettings,
  toCaseStory,
} from '../web/views/toCaseView.ts'
import { openEscrowWatch, riskOf } from '../checks/escrow/watched/watch.ts'
import { createLearned } from '../ledger/lessons/learned.ts'
import { type Column, formatTable } from './formatTable.ts'
import { exitCodes, type Io } from './io.ts'
import { styleOf } from './screen.ts'
import { loadProject, readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { cutTo, readLimit } from './readOptions.ts'
import { section } from './section.ts'
import { openOperations } from './openOperations.ts'
import { readAuthor, toActor } from './readAuthor.ts'
import { readRulesOrNull } from './silences.ts'

interface Shown {
  readonly config: string
  readonly json?: boolean
}

/** Reads cases of the ledger, the daemon may run beside. */
async function withCases<T>(
  io: Io,
  path: string,
  read: (source: CaseStorySource & CaseListSource) => T,
): Promise<T> {
  const { config, rules } = await loadProject(io, path, { needs: [] })
  const { db } = openLedger(config)
  try {
    const views = createAlertViews(createAlertStore(db), rules, io.clock.now())
    const watch = openEscrowWatch({ db, learned: createLearned(db), config })
    return read({
      ...views,
      ...toCaseSettings(config),
      db,
      riskOf: (token, amount) => riskOf(watch, token, amount),
    })
  } finally {
    db.close()
  }
}

export interface ListCasesCommand extends Shown {
  readonly state?: string
  readonly limit: string
}

/** `spanwatch cases list`: those that are not over, in the order of the status page. */
export async function listCases(io: Io, options: ListCasesCommand): Promise<number> {
  const [state, limit] = [readState(options.state), readLimit(options.limit)]
  const { found, now } = await withCases(io, options.config, (source) => ({
    found: listCaseViews(source, { state, limit: limit + 1 }),
    now: source.now,
  }))
  const { rows: views, rest } = cutTo(limit, found)
  if (options.json) io.out(`${JSON.stringify(views, null, 2)}\n`)
  else if (io.screen !== null && views.length > 0) io.out(formatTable(io.screen, listColumns(now), views))
  else io.out(views.map((view) => formatLine(view, now)).join('') || 'No cases.\n')
  io.err(rest)
  return exitCodes.fine
}

function readState(text: string | undefined): CaseQuery['state'] {
  if (text === undefined) return 'live'
  const state = [...caseStates, 'all' as const].find((one) => one === text)
  if (state !== undefined) return state
  throw new MonitorError(
    'usage',
    `--state: expected ${caseStates.join(', ')} or all, got "${cleanText(text, 40)}"`,
  )
}

const listColumns = (now: UnixMs): readonly Column<CaseView>[] => [
  { name: 'CASE', read: ({ id }) => id },
  { name: 'SEVERITY', read: ({ severity }) => severity, style: ({ severity }) => styleOf(severity) },
  { name: 'STATE', read: ({ state }) => state, style: ({ state }) => styleOf(state) },
  { name: 'OPENED', read: ({ turnAt }) => `${formatDuration(Math.max(0, now - turnAt))} ago` },
  { name: 'FINDINGS', read: ({ members }) => String(members), isNumber: true },
  { name: 'AT RISK', read: ({ money }) => (money.length === 0 ? '' : moneyLine(money)), least: 12 },
  { name: 'WHAT', read: ({ title }) => title, least: 20 },
  { name: 'WHO', read: (view) => sayWho(view).join('; '), least: 6 },
]

const clean = (text: string, most = 600) => cleanText(text, most)

/** @example formatLine(view, now) // 'c42  critical  open  Withdrawal of …' and what is at risk below */
function formatLine(view: CaseView, now: UnixMs): string {
  const age = `opened ${formatDuration(Math.max(0, now - view.turnAt))} ago`
  const details = [sayMoney(view), sayMembers(view), age, ...sayWho(view)].join('; ')
  return `${view.id.padEnd(6)} ${view.severity.padEnd(8)} ${view.state.padEnd(12)} ${clean(view.title, 300)}\n          ${details}\n`
}

function sayMoney({ money }: CaseView): string {
  return money.length === 0 ? 'no money at risk is known' : `${moneyLine(money)} at risk`
}

function sayMembers({ members }: CaseView): string {
  return `${members} finding${members === 1 ? '' : 's'}`
}

function sayWho({ state, by, assignee, reason }: CaseView): string[] {
  const why = state === 'handled' && reason !== null ? `: ${clean(reason, 300)}` : ''
  return [
    ...(by !== null && state !== 'open' && state !== 'closed' ? [`${state} by ${clean(by, 100)}${why}`] : []),
    ...(assignee === null ? [] : [`assigned to ${clean(assignee, 100)}`]),
  ]
}

/** `spanwatch cases show`: what it gathers, what is at risk, what was done about it. */
export async function showCase(io: Io, id: string, options: Shown): Promise<number> {
  const { story, now } = await withCases(io, options.config, (source) => ({
    story: toCaseStory(source, findCaseNamed(source.store, id)),
    now: source.now,
  }))
  if (options.json) io.out(`${JSON.stringify(story, null, 2)}\n`)
  else io.out(formatStory(story, { now, asked: id }))
  return exitCodes.fine
}

function formatStory(
  story: CaseStory,
  { now, asked }: { readonly now: UnixMs; readonly asked: string },
): string {
  const { id, members, findings } = story
  const goesOn = asked.replace(/^#?c?/i, '') === id.slice(1) ? '' : `${clean(asked, 40)} goes on as ${id}.\n`
  const more = members - findings.length
  return [
    goesOn,
    `${id}  ${story.severity}  ${story.state}\n  ${clean(story.title)}\n`,
    ...formatHead(story, now),
    ...section('findings', [
      ...findings.map(formatFinding),
      ...(more > 0 ? [`and ${more} more, ${members} in all`] : []),
    ]),
    ...section('timeline', story.timeline.map(formatEntry)),
  ].join('')
}

const time = (at: UnixMs) => new Date(at).toISOString()

function formatHead(story: CaseStory, now: UnixMs): string[] {
  const { money, told, escalations, comesBack, remedy, runbook, endsAt } = story
  const line = (name: string, text: string | null) =>
    text === null || text === '' ? '' : `  ${name.padEnd(10)} ${text}\n`
  const ago = (at: UnixMs) => `${time(at)}, ${formatDuration(Math.max(0, now - at))} ago`
  const again =
    story.turn > 1 ? ` (opened ${story.turn} times; what it is about began ${time(story.openedAt)})` : ''
  return [
    ...(money.length === 0
      ? [line('at risk', 'no money at risk is known')]
      : money.map((one, index) => line(index === 0 ? 'at risk' : '', moneyLine([one])))),
    line('opened', `${ago(story.turnAt)}${again}`),
    line('closed', story.closedAt === null || story.state !== 'closed' ? null : ago(story.closedAt)),
    line('in hand', sayWho(story).join('; ') || 'nobody has it'),
    line('comes back', comesBack),
    line('ends', endsAt === null ? null : `${time(endsAt)}, unless something of it still holds`),
    line('to do', remedy),
    line('runbook', runbook),
    line('told', told.map(sayTold).join(', ') || 'nobody yet'),
    ...escalations.map(({ dueAt, channels, route }) =>
      line('escalates', `${time(dueAt)}, to ${channels.join(', ') || route}, unless somebody takes it`),
    ),
  ]
}

function sayTold({ channel, at }: CaseStory['told'][number]): string {
  return `${clean(channel, 100)}${at === null ? ' (queued)' : ''}`
}

function formatFinding(finding: CaseStory['findings'][number]): string {
  const { atRisk, severity, state, summary } = finding
  const risk = atRisk === null ? '' : `, ${moneyLine([atRisk])} at risk`
  return `${finding.id}  ${severity.padEnd(8)} ${(finding.endedBadly ? 'ended' : state).padEnd(10)} ${finding.rule}${risk}\n              ${clean(summary)}`
}

function formatEntry({ at, what, by, text }: CaseStory['timeline'][number]): string {
  return `${time(at)}  ${clean(what, 40)}${by === null ? '' : ` by ${clean(by, 100)}`}: ${clean(text)}`
}

export interface ChangeCaseCommand extends Shown {
  readonly by?: string
}

/** `spanwatch cases ack`, `assign`, `note`, `handle`, `reopen`. */
export async function changeCase(io: Io, command: CaseCommand, options: ChangeCaseCommand): Promise<number> {
  const author = readAuthor(io, options.by)
  const { config } = readConfig(io, options.config, { needs: ['http'] })
  const operations = openOperations(io, config, await readRulesOrNull(config))
  try {
    const story = await operations.changeCase(command, toActor(author))
    if (options.json) io.out(`${JSON.stringify(story, null, 2)}\n`)
    else io.out(`${formatLine(story, io.clock.now())}${sayAfter(story)}`)
    return exitCodes.fine
  } finally {
    operations.close()
  }
}

function sayAfter({ comesBack }: CaseStory): string {
  return comesBack === null ? '' : `          ${comesBack}\n`
}
