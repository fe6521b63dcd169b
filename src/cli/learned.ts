import { cleanText } from '../lib/text.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { type Account, namesItems } from '../meaning/compareBatch.ts'
import { hasUsualKind } from '../meaning/doubtOrigin.ts'
import { haveRecords } from '../meaning/extraItems.ts'
import { enoughToWarn, onlyCertain } from '../meaning/habit.ts'
import { type ActionField, establishedNames } from '../meaning/learnedActions.ts'
import { isWordKnown } from '../meaning/otherTokens.ts'
import { contradicts, type EventTemplate, partyOfSample } from '../meaning/learnEvent.ts'
import { contentFields } from '../bridge/bridgeLog.ts'
import { plainKeptName } from '../meaning/keptRange.ts'
import { type LearnedMoney, movesAs, namesZoneAmounts } from '../meaning/learnedMoney.ts'
import { toMoneySettings } from '../meaning/toMoneySettings.ts'
import type { Direction } from '../bridge/observation.ts'
import { decodeEvent } from '../checks/contracts/judgeLogs.ts'
import { listAbi, listLearned, listSamples } from '../checks/contracts/logStore.ts'
import type { Database } from '../store/database.ts'
import { enoughDissent } from '../ledger/lessons/dissent.ts'
import { createLearned } from '../ledger/lessons/learned.ts'
import { type LessonRow, listLessonRows } from '../ledger/lessons/lessonStore.ts'

export interface LearnedCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch learned`: what the bridge's transfers taught, and what contradicts it. */
export function showLearned(io: Io, options: LearnedCommand): number {
  const { config } = readConfig(io, options.config, { needs: [] })
  const { db } = openLedger(config)
  try {
    const meanings = listMeanings(db, config.bridge)
    io.out(options.json ? `${JSON.stringify(meanings, null, 2)}\n` : formatMeanings(meanings))
    return exitCodes.fine
  } finally {
    db.close()
  }
}

export function formatMeanings(meanings: readonly Meaning[]): string {
  if (meanings.length === 0) return 'Nothing was learned yet.\n'
  return meanings.map(formatMeaning).join('')
}

function formatMeaning({ meaning, state, agree, samples, parties, outliers }: Meaning): string {
  const counts = agree === 0 ? '' : `: ${agree} of ${samples} samples agree, of ${parties} parties`
  const others = outliers.map((hash) => `            otherwise ${hash}\n`).join('')
  return `${state.padEnd(10)}  ${cleanText(meaning, 400)}${counts}\n${others}`
}

/** Something that was learned, as it stands now. */
interface Meaning {
  readonly meaning: string
  /**
   * `learning`: nothing is judged by it yet. `in use`: an event stands for transfers, or money is judged by it. `in doubt`: some were reported to disagree
   * while their money matched. `suspended`: the money alone judges.
   */
  readonly state: 'learning' | 'warns' | 'accuses' | 'in use' | 'in doubt' | 'suspended'
  /** Samples that agree, of so many. */
  readonly agree: number
  readonly samples: number
  readonly parties: number
  /** Transactions that say otherwise, the newest first. */
  readonly outliers: readonly string[]
}

/** What was learned of the zone's transactions, the bridge's money and its events, with what contradicts it. */
export function listMeanings(db: Database, bridge: Parameters<typeof toMoneySettings>[0]): Meaning[] {
  const learned = createLearned(db)
  const rows = listLessonRows(db)
  const nameOf = ({ kind, name }: LessonRow) => (kind === 'fee' ? plainKeptName(name) : name)
  const byName = Map.groupBy(rows, (row) => `${row.kind === 'elsewhere' ? 'vault' : row.kind} ${nameOf(row)}`)
  const words = [...byName.values()].flatMap((of) => {
    const { kind = 'zone', name = '' } = of[0] ?? {}
    if (kind === 'token') return readMoved(name, of, learned)
    if (kind === 'vault' || kind === 'elsewhere')
      return readVaults(name, of, (by) => toMoneySettings(bridge, by).vaultsOf(name), learned)
    return kind === 'fee' ? readKept(name, of, learned) : readLesson(name, of, learned)
  })
  return [...words, ...listEvents(db)].toSorted((a, b) => a.meaning.localeCompare(b.meaning))
}

type Rows = readonly LessonRow[]
type Known = (learned: LearnedMoney) => boolean

function readLesson(name: string, rows: Rows, learned: LearnedMoney): Meaning[] {
  const [, topic = '', part = '', of = ''] = /^(\S+(?: batch)?) ?(\S*) ?(.*)$/.exec(name) ?? []
  const direction: Direction = topic.startsWith('ZoneToMain') ? 'ZoneToMain' : 'MainToZone'
  const transfer = { direction, crossType: topic.endsWith('batch') ? 'batch' : '' }
  const pick = (value: string) => rows.filter((row) => row.value === value)
  const tell = (meaning: string, agree: Rows, other: Rows, isKnown: Known) => [
    toMeaning(meaning, { agree, other, state: stateOf(isKnown, learned) }),
  ]
  if (rows[0]?.kind === 'dissent') return readDissent(name, rows)
  if (rows[0]?.kind === 'zone')
    return tell(`${name} amount of the transaction`, pick('equal'), pick('other'), (by) =>
      namesZoneAmounts(direction, by),
    )
  if (part === 'kind') return readKinds(name, rows, (by) => hasUsualKind(by, transfer, ''), learned)
  if (part === 'items' && of === 'records')
    return tell(`${direction} items have records`, pick('equal'), pick('other'), (by) =>
      haveRecords(direction, by),
    )
  if (part === 'items')
    // Written by sampleBatch.
    return tell(name, pick('equal'), pick('unrelated'), (by) => namesItems(of as Account, { learned: by }))
  if (part === 'token')
    return readTokens(name, rows, (by, token) => isWordKnown(by, direction, `${of}>${token}>`), learned)
  return [...new Set(rows.map(({ value }) => value))]
    .filter((value) => value.startsWith('=') && pick(value).length >= enoughToWarn)
    .flatMap((value) => {
      const key = value.slice(1)
      // Written by sampleAction.
      const isKnown: Known = (by) =>
        establishedNames(by, transfer, part as ActionField | 'party', of).has(key)
      return tell(`${name} "${key}"`, pick(value), pick(`!${key}`), isKnown)
    })
    .filter(({ state, agree, samples }) => state !== 'learning' || agree > samples / 2)
}

const tokenName = (token: string) => token || 'the native currency'

/** Tokens that move under another address; what bears its own name is as usual. */
function readMoved(token: string, rows: Rows, learned: LearnedMoney): Meaning[] {
  const moved = token.includes(' ') ? null : movesAs(token, learned)
  if (moved === null || moved === token) return []
  const meaning = `${tokenName(token)} moves as ${tokenName(moved)}`
  return [toMeaning(meaning, { agree: rows, other: [], state: 'in use' })]
}

function readVaults(
  token: string,
  rows: Rows,
  vaultsOf: (learned: LearnedMoney) => readonly string[],
  learned: LearnedMoney,
): Meaning[] {
  const vaults = vaultsOf(learned)
  if (vaults.length === 0) return []
  const [agree, other] = [true, false].map((wanted) =>
    rows.filter(({ value }) => vaults.includes(value) === wanted),
  )
  const state = stateOf((by) => vaultsOf(by).length > 0, learned)
  const meaning = `deposits of ${tokenName(token)} go to ${vaults.join(', ')}`
  return [toMeaning(meaning, { agree: agree ?? [], other: other ?? [], state })]
}

/** What of a token comes to its recipient; that nothing is kept is as usual. */
function readKept(name: string, rows: Rows, learned: LearnedMoney): Meaning[] {
  const [direction = '', token = ''] = plainKeptName(name).split(' ')
  if (direction === 'flat' || direction === 'size') return []
  // Written by sampleKept.
  const { less, more, flat } = learned.keptOf(token, direction as Direction)
  if (less === 0 && more === 0 && flat === null) return []
  const kept =
    flat === null ? `${less / 10_000} % less to ${more / 10_000} % more` : `${flat} base units less`
  const meaning = `${direction} of ${tokenName(token)}: ${kept} than the record says may come`
  return [toMeaning(meaning, { agree: rows, other: [], state: 'in use' })]
}

/** What an action is called, of those that were seen often enough; the rest are outliers. */
function readKinds(name: string, rows: Rows, isKnown: Known, learned: LearnedMoney): Meaning[] {
  const kinds = Map.groupBy(rows, ({ value }) => value)
  const usual = [...kinds].filter(([, of]) => of.length >= enoughToWarn)
  const isUsual = new Set(usual.map(([kind]) => kind))
  const [agree, other] = [true, false].map((wanted) =>
    rows.filter(({ value }) => isUsual.has(value) === wanted),
  )
  const names = [...isUsual].map((kind) => `"${kind}"`).join(', ')
  return usual.length === 0
    ? []
    : [
        toMeaning(`${name} ${names}`, {
          agree: agree ?? [],
          other: other ?? [],
          state: stateOf(isKnown, learned),
        }),
      ]
}

/** By what word each token is named, where it has one. */
function readTokens(
  name: string,
  rows: Rows,
  isKnown: (learned: LearnedMoney, token: string) => boolean,
  learned: LearnedMoney,
): Meaning[] {
  const byToken = Map.groupBy(rows, ({ value }) => value.slice(0, value.indexOf('>')))
  return [...byToken].flatMap(([token, of]) => {
    const words = [...Map.groupBy(of, ({ value }) => value)].toSorted(([, a], [, b]) => b.length - a.length)
    const [value = '', agree = []] = words[0] ?? []
    const state = stateOf((by) => isKnown(by, token), learned)
    if (state === 'learning') return []
    const other = of.filter((row) => row.value !== value)
    return [toMeaning(`${name} "${value.slice(token.length + 1)}" for ${token}`, { agree, other, state })]
  })
}

/** Since when a meaning is learned anew, and which parties were reported to disagree with it while their money matched. */
function readDissent(name: string, rows: Rows): Meaning[] {
  const suspended = rows.find(({ value }) => value === 'suspended')
  const other = rows.filter(({ value }) => value === 'disagrees' || value === 'outlier')
  const parties = new Set(rows.flatMap(({ value, party }) => (value === 'disagrees' ? [party] : []))).size
  const since = suspended === undefined ? '' : `, as it was before ${new Date(suspended.at).toISOString()}`
  const dissent = `${name}, ${parties} of ${enoughDissent} parties in a row say otherwise`
  return [
    ...(suspended ? [toMeaning(name + since, { agree: [], other: [], state: 'suspended' })] : []),
    ...(other.length === 0 ? [] : [toMeaning(dissent, { agree: [], other, state: 'in doubt' })]),
  ]
}

function listEvents(db: Database): Meaning[] {
  const abi = listAbi(db)
  return listLearned(db).map(({ contract, topic, template }) => {
    const samples = listSamples(db, contract, topic).map((one) => decodeEvent(abi, contract, one))
    const rows = samples.toReversed().map((one) => ({ hash: one.hash, party: partyOfSample(one), one }))
    const other = rows.filter(({ one }) => contradicts(one, template))
    return toMeaning(`${template.direction} event ${topic} of ${contract}`, {
      agree: rows.filter((row) => !other.includes(row)),
      other,
      state: isBare(template) ? 'suspended' : 'in use',
    })
  })
}

function isBare({ places }: EventTemplate): boolean {
  return contentFields.every((field) => places[field].length === 0)
}

function stateOf(isKnown: Known, learned: LearnedMoney): Meaning['state'] {
  if (isKnown(onlyCertain(learned))) return 'accuses'
  return isKnown(learned) ? 'warns' : 'learning'
}

type Samples = readonly Pick<LessonRow, 'hash' | 'party'>[]

function toMeaning(
  meaning: string,
  {
    agree,
    other,
    state,
  }: { readonly agree: Samples; readonly other: Samples; readonly state: Meaning['state'] },
): Meaning {
  return {
    meaning,
    state,
    agree: agree.length,
    samples: agree.length + other.length,
    parties: new Set([...agree, ...other].map(({ party }) => party)).size,
    outliers: [...new Set(other.map(({ hash }) => hash))],
  }
}
