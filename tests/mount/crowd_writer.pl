#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# crowd_writer.pl LOG COUNT: appends COUNT lines, a batch of one to seven a write.
use strict;
use warnings;
use Fcntl;
my ($log, $count) = @ARGV;
sysopen(my $fh, $log, O_WRONLY | O_APPEND) or die "$log: $!";
my ($n, $batch) = (0, '');
while ($n < $count) {
	$batch .= qq({"role":"system","content":"perl $n ) . ('z' x ($n % 61)) . qq("}\n);
	$n++;
	next if $n % (1 + $n / 7 % 7) && $n < $count;
	(syswrite($fh, $batch) // -1) == length $batch or die "write: $!";
	$batch = '';
}
close $fh or die "close: $!";
