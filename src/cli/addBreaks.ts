import { type Command, Option } from 'commander'
import { listBreaks, matchBreaks, undoEntry, writeOffBreak } from './breaks.ts'
import type { Io } from './io.ts'

const config = () => new Option('-c, --config <file>', 'configuration file').default('./spanwatch.yaml')
const json = () => new Option('--json', 'print JSON, amounts as decimal strings')
const by = () => new Option('--by <name>', 'who; the user of this machine when left out')

/** Commands about what does not reconcile. */
export function addBreaks(program: Command, io: Io, finish: (code: number) => void): void {
  const breaks = program.command('breaks').description('what does not reconcile, and settling it by hand')
  breaks
    .command('list')
    .description('what does not reconcile, the oldest first, and what people settled of it')
    .addOption(config())
    .option('--token <token>', 'symbol, or token contract')
    .option('--min <amount>', 'at least so much is left, in token units')
    .option('--older-than <duration>', 'since at least so long, such as 2d')
    .option('--state <state>', 'open, settled (by hand) or all', 'open')
    .option('--sort <order>', 'age, or amount: the largest first', 'age')
    .option('--limit <n>', 'how many at most, up to 500', '50')
    .addOption(json())
    .option('--csv', 'print CSV')
    .action((options) => finish(listBreaks(io, options)))
  breaks
    .command('match')
    .description('this payout belongs to that origin: what one is more than the other stays a break')
    .argument('<payout>', 'a transfer or a movement, by key, id, hash or name')
    .argument('<origin>', 'the same')
    .requiredOption('--reason <text>', 'why')
    .option('--force', 'also of different tokens, and where nobody knows how much it is')
    .addOption(by())
    .addOption(config())
    .addOption(json())
    .action(async (payout: string, origin: string, options) =>
      finish(await matchBreaks(io, { payout, origin }, options)),
    )
  breaks
    .command('write-off')
    .description('takes a break off the list, as an entry that says why')
    .argument('<name>', 'a transfer or a movement, by key, id, hash or name')
    .requiredOption('--reason <text>', 'why')
    .addOption(by())
    .addOption(config())
    .addOption(json())
    .action(async (name: string, options) => finish(await writeOffBreak(io, name, options)))
  breaks
    .command('undo')
    .description('takes an entry back: what it settled is a break again')
    .argument('<entry>', 'as listed, such as e3')
    .requiredOption('--reason <text>', 'why')
    .addOption(by())
    .addOption(config())
    .addOption(json())
    .action(async (entry: string, options) => finish(await undoEntry(io, entry, options)))
}
