ALTER TABLE `issue_runs` ADD `ignored_since` text;--> statement-breakpoint
ALTER TABLE `issue_runs` ADD `label_gone` integer DEFAULT false NOT NULL;