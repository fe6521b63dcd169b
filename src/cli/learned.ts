import { listMeanings, type Meaning } from './listMeanings.ts'
import { cleanText } from '../lib/text.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'

export interface LearnedCommand {
  readonly config: string
  readonly json?: boolean
}

/** `spanwatch learned`: what the bridge's transfers taught, and what speaks against it. */
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
