import { watch } from 'node:fs'
import { kinds } from '../checks/index.ts'
import { errorText } from '../lib/errors.ts'
import { renderProblem } from '../lib/renderProblems.ts'
import type { App } from '../monitor/createMonitor.ts'
import type { AppDeps } from '../monitor/options.ts'
import type { LoadedRules } from '../rules/loadRules.ts'
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
      deps.log.info({ rules: rules.length }, 'rules reloaded')
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
  const watcher = openWatcher(folder, reload)
  watcher?.on('error', (error) =>
    log.warn(`the folder of rules is not watched any more: ${errorText(error)}`),
  )
  return {
    stop() {
      ending.abort()
      offReload()
      watcher?.close()
    },
  }
}

function openWatcher(folder: string, onChange: () => void) {
  try {
    return watch(folder, onChange)
  } catch {
    // Not every file system can be watched; SIGHUP still works.
    return null
  }
}
