import { type CommandNode, listLeaves, type OptionNode } from './commandTree.ts'
import { exitCodes } from './io.ts'

const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  fine: 'fine',
  wrong: 'what was asked for is not there, or something is wrong inside',
  usage: 'wrong usage or configuration',
  unreachable: 'a source or channel could not be reached',
  locked: 'another process holds the state folder',
}

/** The manual page of all commands, as roff for `man -l`. */
export function toManual(root: CommandNode, version: string): string {
  // Their keys are those of the record that they are entries of.
  const exits = Object.entries(exitMeanings) as [keyof typeof exitCodes, string][]
  return [
    `.TH SPANWATCH 1 "" "spanwatch ${version}" "spanwatch"\n`,
    `.SH NAME\nspanwatch \\- ${escape('watches a cross-chain bridge and alerts people')}\n`,
    `.SH SYNOPSIS\n.B spanwatch\n.I command\n[\\fIoptions\\fR]\n`,
    `.SH DESCRIPTION\n${text(root.summary)}`,
    `.SH COMMANDS\n${listLeaves(root).map(describeCommand).join('')}`,
    `.SH "EXIT STATUS"\n${exits.map(([name, means]) => `.TP\n.B ${exitCodes[name]}\n${text(means)}`).join('')}`,
    `.SH ENVIRONMENT\n.TP\n.B NO_COLOR\n${text('No colours.')}.TP\n.B FORCE_COLOR\n${text('Colours in a pipe too.')}`,
  ].join('')
}

function describeCommand(node: CommandNode): string {
  return [
    `.SS "${escape(node.usage).replaceAll('"', '\\(dq')}"\n${text(node.summary)}`,
    ...node.arguments.map(({ name, summary }) => `.TP\n.I ${escape(name)}\n${text(summary)}`),
    ...node.options.map(describeOption),
  ].join('')
}

function describeOption({ flags, summary, choices, usual }: OptionNode): string {
  const more = [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(usual === null ? [] : [`by default ${usual}`]),
  ]
  return `.TP\n.B ${escape(flags)}\n${text(more.length === 0 ? summary : `${summary} (${more.join('; ')})`)}`
}

function escape(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll(
      /[^\n -~]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
}

/** A line of its own: one that begins with a dot or a quote would be read as an instruction. */
function text(words: string): string {
  return `\\&${escape(words.replaceAll(/\s+/g, ' '))}\n`
}
