# Completion of emendo for bash 3.2 or later.

_emendo() {
	local line=${COMP_LINE:0:COMP_POINT} words current prefix paths text help IFS=$' \t\n'
	read -ra words <<<"$line"
	case $line in *[[:space:]]) words+=('') ;; esac
	current=${words[${#words[@]} - 1]}
	# Bash replaces only what follows the last of its word breaks, such as = and :.
	prefix=${current%"${current##*[=:]}"}
	COMPREPLY=()
	while IFS=$'\t' read -r text help; do
		if [ -z "$paths" ]; then
			paths=$text
			continue
		fi
		COMPREPLY+=("${text#"$prefix"}")
	done < <("$1" completion candidates -- "${words[@]:1}" 2>/dev/null)
	case $paths in
	files | folders)
		[ "$paths" = files ] && paths=-f || paths=-d
		compopt -o filenames 2>/dev/null
		while IFS= read -r text; do
			COMPREPLY+=("$text")
		done < <(compgen "$paths" -- "${current#"$prefix"}")
		;;
	esac
}

complete -F _emendo emendo
