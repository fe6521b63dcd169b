import { neutralDialect } from '../../clients/explorer/dialect.ts'
import { type ErrorCode, MonitorError } from '../../lib/errors.ts'
import { shown, usage } from '../readOptions.ts'
import { readAddress } from './address.ts'
import { credentialNames, type Guess, knock, type Knocked, listUnset, type Met } from './knock.ts'
import { askFor, askUntil, type Talk, tell } from './talk.ts'

type TroubleOf<W> = Extract<Extract<Knocked, { trouble: unknown }>['trouble'], { what: W }>

const usualBeginning = 'EXPLORER'

/**
 * Asks an explorer until what is thought of it fits: what it tells is taken, what only people know is asked for.
 * @throws MonitorError where nobody can be asked: what is wrong, and which option helps
 */
export async function meet(talk: Talk, first: Guess): Promise<Met> {
  let guess = first
  for (;;) {
    const knocked = await knock(talk.io, guess)
    if ('met' in knocked) return tellMet(talk, first, knocked.met)
    guess = await mend(talk, guess, knocked.trouble)
  }
}

function tellMet(talk: Talk, first: Guess, met: Met): Met {
  const isFound = first.main === null || first.zone === null
  const found = isFound ? ', found by asking: compare them with the documentation of the deployment' : ''
  tell(talk, 'ok', `the explorer answers for the chains ${met.main} and ${met.zone}${found}`)
  const { path, field, direction } = met.dialect
  if (JSON.stringify(met.dialect) !== JSON.stringify(first.dialect))
    tell(
      talk,
      'ok',
      `its words, as its answers show them: ${field.main} and ${field.zone} in fields, ${direction.main} and ${direction.zone} in directions, ${path.main} and ${path.zone} in paths`,
    )
  return met
}

async function mend(talk: Talk, guess: Guess, trouble: TroubleOf<string>): Promise<Guess> {
  switch (trouble.what) {
    case 'address':
      return await mendAddress(talk, guess, trouble.error)
    case 'path':
      return await mendPath(talk, guess, trouble.error)
    case 'credentials':
      return await mendCredentials(talk, guess, trouble.error)
    case 'chains':
      return await mendChains(talk, guess, trouble)
  }
}

/** The same error with what to do about it. */
function advise({ code, message }: { readonly code: ErrorCode; readonly message: string }, advice: string) {
  return new MonitorError(code, `${message}\n${advice}`)
}

const addressAdvice: Readonly<Partial<Record<ErrorCode, string>>> = {
  'source.unreachable':
    'Check the address (--explorer), name resolution, and whether a firewall or proxy stands between.',
  'source.throttled': 'The service asks to slow down: try again later, or stop what else uses it.',
  'source.invalid': 'This is not the explorer API: check the address (--explorer).',
}

async function mendAddress(talk: Talk, guess: Guess, error: MonitorError): Promise<Guess> {
  const problem = advise(error, addressAdvice[error.code] ?? 'Check the address (--explorer).')
  const { ask } = talk
  if (ask === null) throw problem
  tell(talk, 'failed', problem.message)
  const address = await askUntil(
    talk,
    `Address of the explorer API [try ${guess.baseUrl} again]`,
    readAddress,
  )
  return address === null ? guess : followAddress(guess, address)
}

/** What an address tells beside the place. */
export function followAddress(guess: Guess, { baseUrl, path }: ReturnType<typeof readAddress>): Guess {
  const { main, zone } = guess.dialect.path
  const words = { main: path.main ?? main, zone: path.zone ?? zone }
  return { ...guess, baseUrl, dialect: { ...guess.dialect, path: words } }
}

async function mendPath(talk: Talk, guess: Guess, error: MonitorError): Promise<Guess> {
  const { main, zone } = guess.dialect.path
  const problem = advise(
    error,
    `Nothing is at /api/v5/${main}/… or /api/v5/${main}/${zone}/… there: give the address of any of its requests, or the two words of its paths (--dialect MAIN,ZONE).`,
  )
  if (talk.ask === null) throw problem
  tell(talk, 'failed', problem.message)
  const words = await askUntil(talk, 'The two words, such as main,zone', readDialectWords)
  return words === null ? guess : { ...guess, dialect: { ...guess.dialect, ...words } }
}

/** @throws MonitorError `usage` */
export function readDialectWords(text: string) {
  const [, main = '', zone = '', prefix] =
    /^([\w.~-]{1,60}),([\w.~-]{1,60})(?:,([A-Za-z0-9][A-Za-z0-9-]{0,30}))?$/.exec(text) ?? []
  if (main === '')
    throw usage(
      `--dialect: expected the words of both chains in paths, and perhaps the beginning of the headers' names, such as main,zone,ACME, got ${shown(text)}`,
    )
  return { path: { main, zone }, ...(prefix !== undefined && { headerPrefix: prefix }) }
}

async function mendCredentials(talk: Talk, guess: Guess, error: MonitorError): Promise<Guess> {
  const { headerPrefix } = error.details
  const isUsual = guess.dialect.headerPrefix === neutralDialect.headerPrefix
  if (typeof headerPrefix === 'string' && isUsual && headerPrefix !== neutralDialect.headerPrefix) {
    tell(talk, 'ok', `its headers begin with ${headerPrefix}-ACCESS`)
    return { ...guess, dialect: { ...guess.dialect, headerPrefix } }
  }
  const { env } = talk.io
  if (guess.auth === null && listUnset(env, usualBeginning).length === 0) {
    tell(
      talk,
      'ok',
      `it asks for credentials: those in ${credentialNames(usualBeginning).join(', ')} are used`,
    )
    return { ...guess, auth: usualBeginning }
  }
  const problem = advise(error, adviseCredentials(talk, guess))
  if (talk.ask === null) throw problem
  tell(talk, 'failed', problem.message)
  const beginning = await askUntil(talk, 'Beginning of the names of other variables', readBeginning)
  return { ...guess, auth: beginning ?? guess.auth ?? usualBeginning }
}

function adviseCredentials({ io }: Talk, { auth }: Guess): string {
  const names = credentialNames(auth ?? usualBeginning)
  const unset = listUnset(io.env, auth ?? usualBeginning)
  if (auth === null)
    return `It asks for credentials: put them into the environment variables ${names.join(', ')} and begin again; with --auth PREFIX they are PREFIX_KEY and so on.`
  if (unset.length > 0) return `Of the variables of --auth ${auth}, ${unset.join(', ')} are not set or empty.`
  return `The credentials in ${names.join(', ')} were refused: check them, and the clock of this machine.`
}

/** @throws MonitorError `usage` */
export function readBeginning(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,60}$/.test(text)) return text
  throw usage(
    `--auth: expected the beginning of the names of three variables, such as EXPLORER for EXPLORER_KEY, EXPLORER_SECRET and EXPLORER_PASSPHRASE, got ${shown(text)}`,
  )
}

async function mendChains(talk: Talk, guess: Guess, { tried, swapped }: TroubleOf<'chains'>): Promise<Guess> {
  if (swapped !== null) {
    const says = `the names are swapped: ${swapped.main} is the main chain, ${swapped.zone} the zone chain`
    if (talk.ask === null) throw usage(`${says}. Give --main '${swapped.main}' --zone '${swapped.zone}'.`)
    tell(talk, 'ok', `${says}; they are taken so`)
    return { ...guess, ...swapped }
  }
  const problem = usage(
    `the explorer refuses the chain name${tried.length === 1 ? '' : 's'} ${tried.join(', ')}: give --main NAME and --zone NAME as its documentation calls them (chainShortName)`,
  )
  if (talk.ask === null) throw problem
  tell(talk, 'failed', problem.message)
  const main = await askFor(talk, 'Short name of the main chain', guess.main ?? '')
  const zone = await askFor(talk, 'Short name of the zone chain', guess.zone ?? '')
  return { ...guess, main: main || null, zone: zone || null }
}
