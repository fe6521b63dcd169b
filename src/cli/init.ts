import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Section } from '../config/loadConfig.ts'
import { neutralDialect } from '../clients/explorer/dialect.ts'
import { parseDuration } from '../lib/duration.ts'
import { errorText } from '../lib/errors.ts'
import { Secret } from '../lib/secret.ts'
import { check } from './check.ts'
import { checkExplorer } from './checkExplorer.ts'
import { followAddress, meet, readBeginning, readDialectWords } from './init/meet.ts'
import { readAddress } from './init/address.ts'
import { credentialNames, type Guess, toSettings } from './init/knock.ts'
import { chooseChannel, chooseSource, readGiven } from './init/places.ts'
import { propose } from './init/propose.ts'
import { survey } from './init/survey.ts'
import { askFor, askUntil, type Talk, tell } from './init/talk.ts'
import { tellSurvey } from './init/tellSurvey.ts'
import { type Plan, toYaml } from './init/toYaml.ts'
import { exitCodes, type Io } from './io.ts'
import { loadProject } from './loadProject.ts'
import { formatResult } from './onlineResult.ts'
import { shown, usage } from './readOptions.ts'

export interface InitCommand {
  readonly explorer?: string
  readonly main?: string
  readonly zone?: string
  readonly dialect?: string
  readonly auth?: string
  readonly preconf?: string
  readonly canonical?: string
  readonly slack?: string
  readonly teams?: string
  readonly discord?: string
  readonly webhook?: string
  readonly timeout: string
  readonly out: string
  readonly yes?: boolean
  readonly force?: boolean
}

/**
 * `spanwatch init`: asks for what only people know, tries each as it is given, finds what belongs to the bridge by looking
 * at recent transfers, and writes a commented configuration. In a pipe, or with `--yes`, options say all of it.
 */
export async function init(io: Io, options: InitCommand): Promise<number> {
  checkOut(options)
  const plan = await converse(io, options).catch((error: unknown) => {
    if (io.stop.aborted) throw usage('init: ended; nothing was written')
    throw error
  })
  write(options, toYaml(plan))
  return await tellNext(io, options.out, plan)
}

/** Whether the file can be written, before anybody answers a question. */
function checkOut({ out, force }: InitCommand): void {
  const folder = dirname(resolve(out))
  if (!existsSync(folder)) throw usage(`--out: there is no folder ${folder}`)
  if (!existsSync(out) || (force === true && statSync(out).isFile())) return
  throw usage(`init: ${out} is there already: name another file with --out, or replace it with --force`)
}

async function converse(io: Io, options: InitCommand): Promise<Plan> {
  const talk: Talk = { io, ask: options.yes === true ? null : io.ask }
  const given = readGiven(io, options)
  const guess = await readGuess(talk, options)
  io.out('\nthe explorer\n')
  const met = await meet(talk, guess)
  io.protect(listSecrets(io, met.auth))
  const { results } = await checkExplorer(io, toSettings(io, met))
  for (const result of results) io.out(formatResult(result))
  io.out('\nother sources, and where messages go\n')
  const preconf = await chooseSource(talk, 'preconf', given.preconf)
  const canonical = await chooseSource(talk, 'canonical', given.canonical)
  const channel = await chooseChannel(talk, given.channel)
  io.out('\nrecent transfers\n')
  const found = await survey(io, met)
  const proposal = propose(found)
  tellSurvey(io, found, proposal)
  const plan: Plan = {
    met,
    preconf,
    canonical,
    channel,
    proposal,
    transfers: found.transfers.length,
    writtenAt: io.clock.now(),
  }
  await confirm(talk, options.out)
  return plan
}

async function readGuess(talk: Talk, options: InitCommand): Promise<Guess> {
  const timeoutMs = parseDuration(options.timeout)
  if (timeoutMs === null || timeoutMs < 100 || timeoutMs > 300_000)
    throw usage(`--timeout: expected a duration from 100ms to 5m, got ${shown(options.timeout)}`)
  const empty: Guess = {
    baseUrl: '',
    dialect: { ...neutralDialect, ...(options.dialect !== undefined && readDialectWords(options.dialect)) },
    auth: options.auth === undefined ? null : readBeginning(options.auth),
    main: readName('--main', options.main),
    zone: readName('--zone', options.zone),
    timeoutMs,
  }
  const address = await readExplorer(talk, options)
  // What somebody said of the words goes before what an address shows.
  const told = followAddress(empty, address)
  return options.dialect === undefined ? told : { ...told, dialect: empty.dialect }
}

async function readExplorer(talk: Talk, { explorer }: InitCommand) {
  if (explorer !== undefined) return readAddress(explorer)
  if (talk.ask === null)
    throw usage(
      "init: nobody can be asked here (no terminal, or --yes): give --explorer URL, where the explorer does not tell them --main NAME and --zone NAME, and as you like --auth PREFIX, --preconf URL, --canonical URL, --slack '${SLACK_WEBHOOK_URL}' and --out FILE",
    )
  for (;;) {
    const address = await askUntil(talk, 'Address of the explorer API', readAddress)
    if (address !== null) return address
  }
}

function readName(option: string, text: string | undefined): string | null {
  if (text === undefined) return null
  if (/^[!-~]{1,60}$/.test(text)) return text
  throw usage(`${option}: expected the short name of a chain, without spaces, got ${shown(text)}`)
}

function listSecrets({ env }: Pick<Io, 'env'>, auth: string | null): Secret[] {
  return auth === null ? [] : credentialNames(auth).map((name) => new Secret(env[name] ?? ''))
}

async function confirm(talk: Talk, path: string): Promise<void> {
  if (talk.ask === null) return
  const answer = await askFor(talk, `Write ${path}? y or n`, 'y')
  if (!/^y/i.test(answer)) throw usage('init: ended; nothing was written')
}

/** Never half a file, and never over one that came meanwhile. */
function write({ out, force }: InitCommand, text: string): void {
  const path = resolve(out)
  try {
    if (force !== true) return writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    throw usage(`--out: ${out} cannot be written: ${errorText(error)}`)
  }
}

async function tellNext(io: Io, path: string, { met, preconf, canonical, channel }: Plan): Promise<number> {
  io.out(`\nwritten: ${path}\n\n`)
  const references = { preconf, canonical, channels: channel?.url ?? null }
  const unset = Object.entries(references).filter(
    ([, reference]) => reference !== null && reference.value === null,
  )
  if (unset.length === 0) {
    const code = await check(io, { config: path })
    if (code !== exitCodes.fine) return code
  } else {
    const all: readonly Section[] = ['explorer', 'preconf', 'canonical', 'channels']
    await loadProject(io, path, { needs: all.filter((name) => !unset.some(([section]) => section === name)) })
    tell(
      { io, ask: null },
      'ok',
      'the configuration is fine, as far as it can be checked without these variables',
    )
  }
  const missing = unset.flatMap(([, reference]) => reference?.variable ?? [])
  const before = missing.map((name) => `  export ${name}=…\n`).join('')
  const again = before === '' ? '' : `  ${nameProgram(io)} check --online -c ${path}\n`
  io.out(`\nnext\n${before}${again}  ${nameProgram(io)} run -c ${path}\n`)
  if (met.auth !== null) io.out(`It needs ${credentialNames(met.auth).join(', ')} in its environment.\n`)
  return exitCodes.fine
}

/** As it was called. */
function nameProgram({ env }: Pick<Io, 'env'>): string {
  const script = env['npm_lifecycle_event']
  if (script === 'spanwatch') return 'npm run spanwatch --'
  return script === 'npx' ? 'npx spanwatch' : 'spanwatch'
}
