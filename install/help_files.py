"""Makes man pages and shell completions from the output of `eyrie --help`.

The tool lists its commands and their flags, so this file has no list of them.
Tested by package_test.py.
"""

import os
import re
import sys
import time

sys.path.append(os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "../tools/house"))
import docs_tables  # noqa: E402  pylint: disable=wrong-import-position

FLAGS_NOTE = """\
Each flag is given with its default value. A flag that is true or false may be
written as \\fB\\-\\-flag\\fR or \\fB\\-\\-noflag\\fR."""
FOLDERS = {"bash": "share/bash-completion/completions/eyrie",
           "zsh": "share/zsh/site-functions/_eyrie",
           "fish": "share/fish/vendor_completions.d/eyrie.fish"}


class Flag:
    """A flag of a command."""

    def __init__(self, name, default, lines, bare, group):
        self.name, self.default, self.lines = name, default, lines
        self.group = group  # the heading above it in the help, or ""
        self.is_boolean = default in ("true", "false")
        self.takes_value = not self.is_boolean and not bare
        self.shown = name
        if default or self.takes_value:
            self.shown = f"{name}={default or '...'}"

    def summary(self):
        """Returns the first sentence of the flag's help."""
        return re.split(r"[.:;](?:\s|$)", " ".join(self.lines))[0]


def groups_of(text):
    """Returns the heading above each flag in a command's help, or ""."""
    groups, group = {}, ""
    for part in text.split("\n\n"):
        last = part.strip("\n").split("\n")[-1]
        heading = re.fullmatch(r"# ==== (.*) ====", last)
        flag = re.match(r"(?:# )?--(\w+)", last)
        if heading:
            group = heading.group(1)
        elif flag:
            groups[flag.group(1)] = group
    return groups


class Command:
    """A command of the tool, such as "run" or "params dump"."""

    def __init__(self, eyrie, name, usage, flags):
        *parents, word = name.split()
        text = docs_tables.help_of(eyrie, *parents, word)
        bare = re.findall(r"^# --(\w+)$", text, re.M)
        groups = groups_of(text)
        self.name, self.page = name, "eyrie-" + name.replace(" ", "-")
        self.flags = [Flag(*flag, flag[0] in bare, groups[flag[0]])
                      for flag in flags]
        synopsis = [line for line in usage
                    if re.match(r"(Usage:)? +eyrie ", line) and
                    not re.match(r"  eyrie ", line)]
        self.synopsis = [line.removeprefix("Usage:").strip()
                         for line in synopsis]
        self.description = usage[len(synopsis):]
        text = " ".join(line for line in self.description if line[:1] != " ")
        # The command's line in the parent's list, or else its first sentence.
        listed = re.search(rf"^#?   ?{word}  +(.*)", docs_tables.help_of(
            eyrie, *parents), re.M)
        self.summary = listed.group(1) if listed else re.split(
            r"[.:](?:\s|$)", text[:1].lower() + text[1:])[0]


def commands_of(eyrie):
    """Returns the commands, by name."""
    return {name: Command(eyrie, name, usage, flags) for name, usage, flags in
            docs_tables.every_command(eyrie)}


def public_names(source):
    """Returns a list [name, word ...] for each public name of the tool: the
    words of the command that the name runs."""
    return [[word for word in row if not word.startswith("-")] for row in
            docs_tables.def_rows(source, "tools/names.def", "PUBLIC_TOOL")]


def words_after(commands, name):
    """Returns the words that may follow a command's name, with summaries."""
    found = {}
    for other, command in commands.items():
        first, _, word = other.rpartition(" ")
        if first == name:
            found[word] = command.summary
    return found


# Man pages.

def roff(text):
    """Returns a line of text, escaped so that groff prints it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti")
    return "\\&" + text if text[:1] == "." else text


def paragraphs(lines, indent=2, resume=".PP"):
    """Returns lines of help as groff that keeps the layout of indented
    lines."""
    end = [".EE", ".RE", resume]
    made, is_shape = [], False
    for line in lines:
        if (line[:1] == " ") != is_shape:
            made += end if is_shape else [f".RS {indent}n", ".EX"]
            is_shape = not is_shape
        made.append(roff(line.removeprefix("  ")) if line else ".PP")
    if is_shape:
        made += end[:2]
    return [line for line, after in zip(made, made[1:] + [""])
            if line != ".PP" or after not in ("", ".PP")]


def man_page(page, version, date, summary, sections):
    """Returns a page of section 1; sections are (title, lines of groff)."""
    lines = [f'.TH {page.upper()} 1 {date} "eyrie {version}" "User commands"',
             ".SH NAME", f"{page} \\- {roff(summary)}"]
    for title, body in sections:
        lines += [f".SH {title}", *body]
    return "\n".join(lines) + "\n"


def synopsis_of(lines):
    return [".nf", *map(roff, lines), ".fi"]


def options_of(flags):
    lines, group = [FLAGS_NOTE], ""
    for flag in flags:
        if flag.group != group:
            group = flag.group
            lines.append(f".SS {roff(group)}")
        lines += [".TP", f"\\fB{roff('--' + flag.shown)}\\fR",
                  *paragraphs(flag.lines, 9, ".IP")]
    return lines


def see_also(pages):
    return [" ,\n".join(f".BR {roff(page)} (1)" for page in pages)]


def man_pages(eyrie, commands, version, date):
    """Returns the man pages, by path below the prefix."""
    top = docs_tables.help_of(eyrie).split("\n\n")
    usage = top[0].removeprefix("Usage: ")
    everything = [command.page for command in commands.values()]
    made = {"eyrie": man_page(
        "eyrie", version, date, "runs compiled machine-learning modules",
        [("SYNOPSIS", synopsis_of([usage])),
         ("DESCRIPTION", ["Runs the .vmfb files that iree\\-compile writes, "
                          "and shows what they contain.", ".PP",
                          *paragraphs("\n\n".join(top[1:]).split("\n"))]),
         ("SEE ALSO", see_also(everything))])}
    for command in commands.values():
        sections = [("SYNOPSIS", synopsis_of(command.synopsis)),
                    ("DESCRIPTION", paragraphs(command.description))]
        if command.flags:
            sections.append(("OPTIONS", options_of(command.flags)))
        others = [page for page in everything
                  if page.startswith(command.page + "-")]
        sections.append(("SEE ALSO", see_also(["eyrie", *others])))
        made[command.page] = man_page(
            command.page, version, date, command.summary, sections)
    return {f"share/man/man1/{page}.1": text for page, text in made.items()}


# Completions.

# Each shell reads the command from the words before the cursor. Then a word
# with '-' completes as a flag, and other words as subcommands or files.
BASH = """\
# Completion of eyrie's commands, their flags and files, made from --help.
_eyrie() {
  local word=${COMP_WORDS[COMP_CWORD]} command= next i words= flags=
  for ((i = 1; i < COMP_CWORD; i++)); do
    next=${command:+$command }${COMP_WORDS[i]}
    case $next in
      @NAMES@) command=$next ;;
      *) break ;;
    esac
  done
  case $command in
@CASES@
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif ((i == COMP_CWORD)) && [[ $word != '=' ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
  if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
}
complete -o bashdefault -o default -F _eyrie eyrie
"""

ZSH = """\
#compdef eyrie
# Completion of eyrie's commands, their flags and files, made from --help.
local command= next i=2
local -a entries flags
while ((i < CURRENT)); do
  next=${command:+$command }${words[i]}
  case $next in
    (@NAMES@) command=$next ;;
    (*) break ;;
  esac
  ((i++))
done
case $command in
@CASES@
esac
if ((i == CURRENT)) && [[ $PREFIX != -* ]] && (($#entries)); then
  _describe command entries
  if ((!$#flags)); then return; fi
fi
_arguments $flags '*:file:_files'
"""

FISH = """\
# Completion of eyrie's commands, their flags and files, made from --help.
function __eyrie_command
    set -l command
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' $command $word)
        contains -- $next @NAMES@
        or break
        set command $next
    end
    test "$command" = "$argv[1]"
end
"""


def flag_words(flag):
    return f"--{flag.name}" + ("=" if flag.takes_value else "")


def bash(commands):
    cases = []
    for name in ["", *commands]:
        flags = commands[name].flags if name else []
        words = " ".join(words_after(commands, name))
        cases.append(f"    '{name}')\n      words='{words}'\n      flags='" +
                     " ".join(map(flag_words, flags)) + "' ;;")
    names = " | ".join(f"'{name}'" for name in commands)
    return BASH.replace("@NAMES@", names).replace("@CASES@", "\n".join(cases))


def quoted(text):
    """Returns text quoted for zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(commands):
    def spec(flag):
        summary = re.sub(r"([\[\]\\:])", r"\\\1", flag.summary())
        value = "=[" if flag.takes_value else "["
        return quoted(f"*--{flag.name}{value}{summary}]" +
                      (":value:_files" if flag.takes_value else ""))
    cases = []
    for name in ["", *commands]:
        entries = [quoted(f"{word}:{summary}") for word, summary in
                   words_after(commands, name).items()]
        flags = commands[name].flags if name else []
        cases.append("\n    ".join([
            f"  ({quoted(name)})", "entries=(" + " ".join(entries) + ")",
            "flags=(", *map(spec, flags), ") ;;"]))
    names = "|".join(quoted(name) for name in commands)
    return ZSH.replace("@NAMES@", names).replace("@CASES@", "\n".join(cases))


def fish(commands):
    def text(value):
        return "'" + re.sub(r"(['\\])", r"\\\1", value) + "'"
    lines = []
    for name in ["", *commands]:
        start = f"complete -c eyrie -n \"__eyrie_command '{name}'\" "
        for word, summary in words_after(commands, name).items():
            lines.append(f"{start}-f -a {word} -d {text(summary)}")
        for flag in commands[name].flags if name else []:
            lines.append(f"{start}-l {flag.name} " +
                         "-r -F " * flag.takes_value +
                         f"-d {text(flag.summary())}")
    names = " ".join(f"'{name}'" for name in commands)
    return FISH.replace("@NAMES@", names) + "\n".join(lines) + "\n"


def files(eyrie, version, epoch):
    """Returns man pages and completions, by path below the prefix. `epoch` is
    the date of the pages, in seconds."""
    eyrie = os.path.abspath(eyrie)
    commands = commands_of(eyrie)
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    made = man_pages(eyrie, commands, version, date)
    for shell in (bash, zsh, fish):
        made[FOLDERS[shell.__name__]] = shell(commands)
    return made
