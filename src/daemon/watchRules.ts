import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { warnOfUnknownNames } from '../alerts/unknownWords.ts'
import { kinds } from '../checks/index.ts'
import { errorText } from '../lib/errors.ts'
import { renderProblem } from '../lib/renderProblems.ts'
import type { App } from '../monitor/createMonitor.ts'
import type { AppDeps } from '../monitor/options.ts'
import type { LoadedRules } from '../rules/loadRules.ts'
import { listRuleFiles } from '../rules/readRuleFolder.ts'
import { readRules } from '../rules/readRules.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { RunOptions } from './runOptions.ts'

type RulesTaker = Pick<App, 'setRules'>

/** The rules of a folder as they were last read, for each monitor that this process runs, one after the other. */
export interface WatchedRules {
  current(): readonly LoadedRule[]
  /** From now on it gets what is read, and at once why the newest edit was refused. Returns what ends that. */
  attach(app: RulesTaker): () => void
  stop(): void
}

/** Reads the rules again when somebody edits them, or asks for it. */
export function watchRules(
  deps: Pick<AppDeps, 'clock' | 'log'>,
  options: Pick<RunOptions, 'config' | 'rules' | 'onReload'>,
): WatchedRules {
  const apps = new Set<RulesTaker>()
  let rules = options.rules
  let refused: readonly string[] | null = null
  const reloading = watchFolder(deps, options, (loaded) => {
    if (loaded.ok) {
      rules = loaded.rules
      refused = null
      const warnings = [...warnOfUnknownNames(rules, options.config), ...(loaded.warnings ?? [])].map(
        renderProblem,
      )
      deps.log.info({ rules: rules.length }, 'rules reloaded')
      if (warnings.length > 0) deps.log.warn({ warnings }, 'the rules ask for what is not there')
    } else {
      refused = loaded.problems.map(renderProblem)
      deps.log.error(
        { problems: refused },
        'the rules were edited and cannot be used; the old ones stay in force',
      )
    }
    for (const app of apps) app.setRules(refused === null ? { rules } : { problems: refused })
  })
  return {
    current: () => rules,
    attach(app) {
      apps.add(app)
      if (refused !== null) app.setRules({ problems: refused })
      return () => apps.delete(app)
    },
    stop: () => reloading.stop(),
  }
}

/** Editors write a file in several steps: what counts is what lies there a moment later. */
const settleMs = 300
/** How often the folder is looked at: each look asks after every file. */
const lookMs = 3_000

function watchFolder(
  { clock, log }: Pick<AppDeps, 'clock' | 'log'>,
  { config: { rulesDir: folder }, onReload }: Pick<RunOptions, 'config' | 'onReload'>,
  onLoaded: (loaded: LoadedRules) => void,
): { stop(): void } {
  const ending = new AbortController()
  let pending: Promise<void> | null = null
  const reload = () => {
    pending ??= clock.sleep(settleMs, ending.signal).then(async () => {
      pending = null
      if (!ending.signal.aborted) onLoaded(await readRules(folder, kinds))
    })
    pending.catch((error: unknown) =>
      log.error({ err: error }, `the rules could not be read: ${errorText(error)}`),
    )
  }
  const offReload = onReload(reload)
  void lookAgain(clock, folder, ending.signal, reload)
  return {
    stop() {
      ending.abort()
      offReload()
    },
  }
}

/**
 * Asks what lies in the folder: a system's notices are of the folder or the file that was there first, and tell nothing
 * once another one stands in its place, nor of the file that a link leads to.
 */
async function lookAgain(
  clock: AppDeps['clock'],
  folder: string,
  ended: AbortSignal,
  onChange: () => void,
): Promise<void> {
  let read = await describeFolder(folder)
  let before = read
  for (;;) {
    await clock.sleep(lookMs, ended)
    if (ended.aborted) return
    const present = await describeFolder(folder)
    // What is still being written is left until it has stood from one look to the next.
    if (present === before && present !== read) {
      read = present
      onChange()
    }
    before = present
  }
}

/** What is another text when any file of rules is another, came, or is gone. */
async function describeFolder(folder: string): Promise<string> {
  try {
    const files = (await listRuleFiles(folder)).map(async (name) => {
      const { ino, size, ctimeMs } = await stat(join(folder, name))
      return `${name} ${ino} ${size} ${ctimeMs}`
    })
    const found = await Promise.allSettled(files)
    return found.map((one) => (one.status === 'fulfilled' ? one.value : errorText(one.reason))).join('\n')
  } catch (error) {
    return errorText(error)
  }
}
