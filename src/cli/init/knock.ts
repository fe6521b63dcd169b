import { type CallOptions, createExplorer, type Explorer } from '../../clients/explorer/createExplorer.ts'
import { describeLacks } from '../../clients/explorer/describeLacks.ts'
import type { Dialect } from '../../clients/explorer/dialect.ts'
import { mainBlockDetail, zoneBlocks } from '../../clients/explorer/endpoints/blocks.ts'
import { crossTransactions } from '../../clients/explorer/endpoints/crossRecords.ts'
import { blockTransactions } from '../../clients/explorer/endpoints/mainTransactions.ts'
import type { Answer } from '../../clients/explorer/readAnswer.ts'
import { MonitorError } from '../../lib/errors.ts'
import { createSilentLog } from '../../lib/log.ts'
import { Secret } from '../../lib/secret.ts'
import type { Io } from '../io.ts'

/** What is thought of an explorer so far. */
export interface Guess {
  readonly baseUrl: string
  readonly dialect: Dialect
  /** The beginning of the names of the variables that hold its credentials; null where none are sent. */
  readonly auth: string | null
  /** Null where nobody gave one. */
  readonly main: string | null
  readonly zone: string | null
  readonly timeoutMs: number
}

/** A guess that fits. */
export interface Met extends Guess {
  readonly main: string
  readonly zone: string
}

type Trouble =
  | { readonly what: 'address' | 'credentials' | 'path'; readonly error: MonitorError }
  | {
      readonly what: 'chains'
      readonly tried: readonly string[]
      /** The names that would fit the other way round. */
      readonly swapped: { readonly main: string; readonly zone: string } | null
    }

export type Knocked = { readonly met: Met } | { readonly trouble: Trouble }

const how = (io: Pick<Io, 'stop'>): CallOptions => ({ priority: 'urgent', attempts: 2, signal: io.stop })

/** The settings of the explorer by which it is asked. */
export function toSettings({ env }: Pick<Io, 'env'>, guess: Guess, chains = { main: '', zone: '' }) {
  const { baseUrl, dialect, timeoutMs } = guess
  return {
    baseUrl,
    chains: { main: guess.main ?? chains.main, zone: guess.zone ?? chains.zone },
    dialect,
    auth: readCredentials(env, guess.auth),
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    timeoutMs,
    links: { tx: { main: null, zone: null } },
  }
}

export const credentialNames = (beginning: string) =>
  ['KEY', 'SECRET', 'PASSPHRASE'].map((name) => `${beginning}_${name}`)

export const listUnset = (env: Io['env'], beginning: string) =>
  credentialNames(beginning).filter((name) => !env[name])

function readCredentials(env: Io['env'], beginning: string | null) {
  if (beginning === null) return null
  const [key, secret, passphrase] = credentialNames(beginning).map((name) => new Secret(env[name] ?? ''))
  if (key === undefined || secret === undefined || passphrase === undefined) return null
  return { key, secret, passphrase, signer: 'hmac-sha256' } as const
}

/** Asks an explorer with what is thought of it: what fits, or what does not. */
export async function knock(io: Pick<Io, 'clock' | 'env' | 'stop'>, guess: Guess): Promise<Knocked> {
  try {
    const main = await findName(guess.main === null ? guessMain(guess) : [guess.main], (name) =>
      askMain(io, guess, name),
    )
    const zone = await findName(guess.zone === null ? guessZone(guess) : [guess.zone], (name) =>
      askZone(io, guess, name),
    )
    if (main.name === null || zone.name === null) {
      const tried = [...main.refused, ...zone.refused]
      return { trouble: { what: 'chains', tried, swapped: await findSwapped(io, guess) } }
    }
    const found = { ...guess, main: main.name, zone: zone.name }
    return { met: { ...found, dialect: await learnDialect(io, found) } }
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return { trouble: { what: troubleOf(error), error } }
  }
}

function troubleOf({ code, details }: MonitorError): 'address' | 'credentials' | 'path' {
  if (code === 'source.rejected') return 'credentials'
  return code === 'source.refused' && details['status'] === 404 ? 'path' : 'address'
}

/** The first name that answers, or null. Whatever has nothing to do with names is thrown. */
async function findName(names: readonly string[], ask: (name: string) => Promise<string | null>) {
  for (const [index, name] of names.entries()) {
    try {
      const found = await ask(name)
      if (found !== null) return { name: found, refused: names.slice(0, index) }
    } catch (error) {
      if (!isNameRefused(error)) throw error
    }
  }
  return { name: null, refused: names }
}

function isNameRefused(error: unknown): boolean {
  if (!(error instanceof MonitorError)) return false
  if (error.code === 'source.mismatched') return true
  return error.code === 'source.refused' && error.details['status'] !== 404
}

/** The service tells a name only for the main chain; these are what such names look like, the documentation's own last. */
const guessMain = ({ dialect: { path } }: Guess) => [
  ...[path.main, `${path.main}chain`].map((name) => name.toUpperCase()),
  'MAINCHAIN',
]

const guessZone = ({ dialect: { path } }: Guess) => [
  ...[`${path.zone}_chain`, path.zone, `${path.main}_${path.zone}`].map((name) => name.toUpperCase()),
  'ZONE_CHAIN',
]

/** @returns the name as the service writes it, where it does; null for one of ours that shows nothing */
async function askMain(
  io: Pick<Io, 'clock' | 'env' | 'stop'>,
  guess: Guess,
  name: string,
): Promise<string | null> {
  return await withExplorer(io, guess, { main: name, zone: '' }, async (explorer) => {
    // Of this answer it is read which chain it is of, whatever was asked for.
    const range = { startBlockHeight: 1, endBlockHeight: 1, limit: 1 }
    const { list } = await explorer.call(blockTransactions, range, { ...how(io), isProbe: true })
    const told = list['chainShortName'] ?? ''
    if (guess.main === null && /^[!-~]{1,60}$/.test(told)) return told
    const { empty } = await explorer.call(mainBlockDetail, { height: 1 }, how(io))
    return guess.main === null && empty ? null : name
  })
}

/** @returns null for one of ours that shows nothing: services were seen to answer so for a name that they do not know */
async function askZone(
  io: Pick<Io, 'clock' | 'env' | 'stop'>,
  guess: Guess,
  name: string,
): Promise<string | null> {
  return await withExplorer(io, guess, { main: '', zone: name }, async (explorer) => {
    const { empty } = await explorer.call(zoneBlocks, { limit: 1 }, how(io))
    return guess.zone === null && empty ? null : name
  })
}

async function findSwapped(
  io: Pick<Io, 'clock' | 'env' | 'stop'>,
  guess: Guess,
): Promise<{ readonly main: string; readonly zone: string } | null> {
  const { main, zone } = guess
  if (main === null || zone === null) return null
  const asMain = await findName([zone], (name) => askMain(io, guess, name))
  const asZone = await findName([main], (name) => askZone(io, guess, name))
  return asMain.name === null || asZone.name === null ? null : { main: zone, zone: main }
}

async function withExplorer<T>(
  io: Pick<Io, 'clock' | 'env'>,
  guess: Guess,
  chains: { readonly main: string; readonly zone: string },
  use: (explorer: Explorer) => Promise<T>,
): Promise<T> {
  const settings = { ...toSettings(io, guess), chains }
  const explorer = createExplorer({ ...settings, clock: io.clock, log: createSilentLog() })
  try {
    return await use(explorer)
  } finally {
    await explorer.close()
  }
}

const mostWords = 5

/** The words of fields and directions, as far as the list of transfers shows them: each answer names the next that does not fit. */
async function learnDialect(io: Pick<Io, 'clock' | 'env' | 'stop'>, found: Met): Promise<Dialect> {
  let dialect = found.dialect
  for (let turn = 0; turn < mostWords; turn += 1) {
    const answer = await withExplorer(io, { ...found, dialect }, found, (explorer) =>
      explorer.call(crossTransactions, { limit: 20 }, how(io)),
    )
    const next = readAdvice(dialect, answer)
    if (JSON.stringify(next) === JSON.stringify(dialect)) return dialect
    dialect = next
  }
  return dialect
}

/** What an answer's own problems advise to write. */
function readAdvice(
  dialect: Dialect,
  { endpoint, requestedAt, lacks, quarantined }: Answer<unknown>,
): Dialect {
  const noted = { endpoint, firstAt: requestedAt, lastAt: requestedAt, isStill: true, seenAt: null }
  const described = describeLacks(
    dialect,
    lacks.map((lack) => ({ ...lack, ...noted })),
  )
  const problems = [...described, ...quarantined].map(({ problem }) => problem).join('\n')
  const advice = problems.matchAll(/explorer\.dialect\.(field|direction)\.(main|zone): (\w{1,32})/g)
  return [...advice].reduce((changed, [, place = '', chain = '', word = '']) => {
    const words = place === 'field' ? changed.field : changed.direction
    return { ...changed, [place]: { ...words, [chain]: word } }
  }, dialect)
}
